// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import java.nio.file.Path;
import java.util.function.Function;

/// A network namespace, held open: it lives on after its name and its processes. For any thread; entering it is left
/// to [NamespaceThread].
public final class NetworkNamespace implements AutoCloseable {
    private static final int CLONE_NEWNET = 0x40000000;
    private static final long NS_GET_NSTYPE = 0xb703;
    private static final Path OF_THIS_THREAD = Path.of("/proc/thread-self/ns/net"); // self would be the first thread's

    private final Descriptor descriptor;
    private final FileIdentity identity;

    private NetworkNamespace(Descriptor descriptor) throws PosixException {
        this.descriptor = descriptor;
        this.identity = descriptor.identity();
    }

    /// That of the calling thread.
    public static NetworkNamespace current() throws PosixException {
        return open(OF_THIS_THREAD);
    }

    /// From a path such as `/var/run/netns/x` or `/proc/1/ns/net`.
    public static NetworkNamespace open(Path path) throws PosixException {
        return of(Descriptor.openReadOnly(path));
    }

    /// Takes the descriptor over; it is closed too if it turns out to be something else.
    public static NetworkNamespace of(Descriptor descriptor) throws PosixException {
        try {
            var type = descriptor.use(fd -> Libc.call(
                    "ioctl NS_GET_NSTYPE",
                    "on what should be a namespace",
                    (_, state) -> Libc.integer(Libc.IOCTL, state, fd, NS_GET_NSTYPE)));
            if (type != CLONE_NEWNET) {
                throw new PosixException("setns", "into a namespace that is not of the network", Errno.EINVAL);
            }
            return new NetworkNamespace(descriptor);
        } catch (PosixException e) {
            descriptor.close();
            throw e;
        }
    }

    /// Equal for two of the same namespace, as long as one of them is open.
    public FileIdentity identity() {
        return identity;
    }

    /// Another handle of the same namespace, to be closed by itself.
    public NetworkNamespace duplicate() throws PosixException {
        return new NetworkNamespace(descriptor.duplicate());
    }

    /// Lends a path under which other programs can open this namespace while `work` runs, even if it is closed
    /// meanwhile. The answer of `work` must not be null.
    public <T> T lend(Function<Path, T> work) throws PosixException {
        return descriptor.lend(work);
    }

    public boolean isOpen() {
        return descriptor.isOpen();
    }

    public Descriptor descriptor() {
        return descriptor;
    }

    /// Moves the calling thread. A virtual thread could change its carrier half-way and leave another task there.
    void enter() throws PosixException {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("setns needs a platform thread");
        }
        var _ = descriptor.use(fd -> Libc.call(
                "setns",
                "into a network namespace",
                "the process needs CAP_SYS_ADMIN",
                (_, state) -> Libc.integer(Libc.SETNS, state, fd, CLONE_NEWNET)));
    }

    @Override
    public void close() {
        descriptor.close();
    }

    @Override
    public String toString() {
        return "netns " + identity.inode();
    }
}
