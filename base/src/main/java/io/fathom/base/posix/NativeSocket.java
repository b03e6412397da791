// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// A socket of any kind with its options. For any thread.
public final class NativeSocket implements AutoCloseable {
    private static final int CLOEXEC = 0x80000;

    /// Address families.
    public enum SocketFamily {
        UNIX(1),
        INET(2),
        INET6(10);

        private final int number;

        SocketFamily(int number) {
            this.number = number;
        }
    }

    /// Kinds of sockets.
    public enum SocketType {
        STREAM(1),
        DATAGRAM(2),
        SEQPACKET(5);

        private final int number;

        SocketType(int number) {
            this.number = number;
        }
    }

    private final Descriptor descriptor;

    NativeSocket(Descriptor descriptor) {
        this.descriptor = descriptor;
    }

    /// In the namespace of the calling thread.
    public static NativeSocket open(SocketFamily family, SocketType kind) throws PosixException {
        return new NativeSocket(Descriptor.of(Libc.call(
                "socket",
                family + " " + kind,
                (_, state) -> Libc.integer(Libc.SOCKET, state, family.number, kind.number | CLOEXEC, 0))));
    }

    Descriptor descriptor() {
        return descriptor;
    }

    public void set(SocketOption option, int value) throws PosixException {
        var bytes = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(value);
        set(option, bytes.array());
    }

    void set(SocketOption option, byte[] value) throws PosixException {
        var _ = descriptor.use(fd -> Libc.call(
                "setsockopt",
                option.name(),
                option.whenDenied(),
                (arena, state) -> Libc.integer(
                        Libc.SETSOCKOPT,
                        state,
                        fd,
                        option.level(),
                        option.number(),
                        arena.allocateFrom(ValueLayout.JAVA_BYTE, value).address(),
                        value.length)));
    }

    public int value(SocketOption option) throws PosixException {
        return bytes(option, 4).getInt(0);
    }

    ByteBuffer bytes(SocketOption option, int length) throws PosixException {
        var value = new byte[length];
        var _ = descriptor.use(fd -> Libc.call("getsockopt", option.name(), (arena, state) -> {
            var room = arena.allocate(length, 8);
            var size = arena.allocateFrom(ValueLayout.JAVA_INT, length);
            var result = Libc.integer(
                    Libc.GETSOCKOPT, state, fd, option.level(), option.number(), room.address(), size.address());
            MemorySegment.copy(room, ValueLayout.JAVA_BYTE, 0, value, 0, length);
            return result;
        }));
        return ByteBuffer.wrap(value).order(ByteOrder.nativeOrder());
    }

    @Override
    public void close() {
        descriptor.close();
    }
}
