// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Owns an open file descriptor of the process. It is closed once, and only when no call uses it any more, so its
/// number cannot come to mean another file under a call's hands. For any thread.
public final class Descriptor implements AutoCloseable {
    private static final int CLOSED = 1 << 31;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final String OWN_DESCRIPTORS =
            "/proc/" + ProcessHandle.current().pid() + "/fd";

    private final int number;
    /// How many calls use it, and whether it is to be closed after the last.
    private final AtomicInteger users = new AtomicInteger();

    Descriptor(int number) {
        this.number = number;
    }

    /// Takes over a number that the kernel gave out.
    static Descriptor of(long number) {
        return new Descriptor((int) number);
    }

    public static Descriptor openReadOnly(Path path) throws PosixException {
        return of(Libc.call(
                "open",
                path.toString(),
                (arena, state) -> Libc.integer(
                        Libc.OPEN, state, arena.allocateFrom(path.toString()).address(), Libc.O_RDONLY_CLOEXEC)));
    }

    /// A call with the number.
    interface Use {
        long with(int number) throws PosixException;
    }

    long use(Use call) throws PosixException {
        if (users.getAndUpdate(count -> count < 0 ? count : count + 1) < 0) {
            throw new PosixException("use of a descriptor", "that was closed", 9);
        }
        try {
            return call.with(number);
        } finally {
            if (users.decrementAndGet() == CLOSED) {
                shut();
            }
        }
    }

    /// Lends a path under which other programs can open the same file while `work` runs.
    <T> T lend(Function<Path, T> work) throws PosixException {
        var result = new AtomicReference<@Nullable T>();
        var _ = use(fd -> {
            result.set(work.apply(Path.of(OWN_DESCRIPTORS, Integer.toString(fd))));
            return 0;
        });
        return Objects.requireNonNull(result.get());
    }

    /// Another descriptor of the same file, to be closed by itself.
    public Descriptor duplicate() throws PosixException {
        return of(use(fd -> Libc.call(
                "fcntl", "F_DUPFD_CLOEXEC", (_, state) -> Libc.integer(Libc.FCNTL, state, fd, F_DUPFD_CLOEXEC, 0))));
    }

    /// One of our own of a file that somebody else in this process has open under that number.
    public static Descriptor duplicateOf(int number) throws PosixException {
        return of(Libc.call(
                "fcntl", "F_DUPFD_CLOEXEC", (_, state) -> Libc.integer(Libc.FCNTL, state, number, F_DUPFD_CLOEXEC, 0)));
    }

    /// Gives the number away: whoever asked closes it. Afterwards this is closed.
    public int release() throws PosixException {
        if (!users.compareAndSet(0, CLOSED)) {
            throw new PosixException("giving away a descriptor", "that was closed or is in use", 9);
        }
        return number;
    }

    public FileIdentity identity() throws PosixException {
        var identity = new FileIdentity[1];
        var _ = use(fd -> Libc.call("fstat", "", (arena, state) -> {
            var stat = arena.allocate(256, 8); // 144 bytes on x86_64, 128 on aarch64
            var result = Libc.integer(Libc.FSTAT, state, fd, stat.address());
            identity[0] = new FileIdentity(stat.get(ValueLayout.JAVA_LONG, 0), stat.get(ValueLayout.JAVA_LONG, 8));
            return result;
        }));
        return identity[0];
    }

    public boolean isOpen() {
        return users.get() >= 0;
    }

    @Override
    public void close() {
        if (users.getAndUpdate(count -> count | CLOSED) == 0) {
            shut();
        }
    }

    private void shut() {
        try {
            var _ = Libc.call("close", "", (_, state) -> Libc.integer(Libc.CLOSE, state, number));
        } catch (PosixException e) {
            throw new IllegalStateException("descriptor " + number + " was closed by somebody else", e);
        }
    }

    @Override
    public String toString() {
        return "fd " + number;
    }
}
