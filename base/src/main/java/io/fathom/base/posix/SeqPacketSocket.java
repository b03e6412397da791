// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// A connected Unix socket that keeps packets apart and can carry descriptors. Calls block: use a platform thread.
/// One thread may receive while another sends; closing wakes both.
public final class SeqPacketSocket implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int SOCK_SEQPACKET_CLOEXEC = 5 | 0x80000;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;
    private static final int SHUT_RDWR = 2;

    private final NativeSocket socket;

    SeqPacketSocket(NativeSocket socket) {
        this.socket = socket;
    }

    /// One packet. Its descriptors belong to whoever has it.
    public static final class Packet implements AutoCloseable {
        private final byte[] bytes;
        private final List<Descriptor> descriptors;
        private final Truncation truncated;

        Packet(byte[] bytes, List<Descriptor> descriptors, Truncation truncated) {
            this.bytes = bytes;
            this.descriptors = descriptors;
            this.truncated = truncated;
        }

        public byte[] bytes() {
            return bytes;
        }

        public List<Descriptor> descriptors() {
            return descriptors;
        }

        /// Whether there were more bytes or descriptors than there was room; those are lost.
        public Truncation truncated() {
            return truncated;
        }

        /// Closes the descriptors.
        @Override
        public void close() {
            descriptors.forEach(Descriptor::close);
        }
    }

    /// Whether a packet is all there.
    public enum Truncation {
        NONE,
        BYTES,
        DESCRIPTORS
    }

    /// Who is on the other side, as of its connect.
    public record Peer(int pid, int uid, int gid) {}

    public static SeqPacketSocket connect(Path path) throws PosixException {
        var socket = NativeSocket.open(NativeSocket.SocketFamily.UNIX, NativeSocket.SocketType.SEQPACKET);
        try {
            var _ = socket.descriptor()
                    .use(fd -> Libc.call(
                            "connect",
                            path.toString(),
                            (arena, state) -> Libc.integer(
                                    Libc.CONNECT,
                                    state,
                                    fd,
                                    UnixAddress.of(arena, path).address(),
                                    UnixAddress.LENGTH)));
            return new SeqPacketSocket(socket);
        } catch (PosixException e) {
            socket.close();
            throw e;
        }
    }

    /// Two that are connected to each other.
    public static List<SeqPacketSocket> pair() throws PosixException {
        var numbers = new int[2];
        var _ = Libc.call("socketpair", "", (arena, state) -> {
            var room = arena.allocate(8, 4);
            var result = Libc.integer(Libc.SOCKETPAIR, state, AF_UNIX, SOCK_SEQPACKET_CLOEXEC, 0, room.address());
            numbers[0] = room.get(ValueLayout.JAVA_INT, 0);
            numbers[1] = room.get(ValueLayout.JAVA_INT, 4);
            return result;
        });
        return List.of(
                new SeqPacketSocket(new NativeSocket(new Descriptor(numbers[0]))),
                new SeqPacketSocket(new NativeSocket(new Descriptor(numbers[1]))));
    }

    /// Zero waits forever; otherwise calls fail with [PosixException#isTimeout()].
    public void timeouts(Duration receive, Duration send) throws PosixException {
        socket.set(SocketOption.RECEIVE_TIMEOUT, timeval(receive));
        socket.set(SocketOption.SEND_TIMEOUT, timeval(send));
    }

    private static byte[] timeval(Duration time) {
        return ByteBuffer.allocate(16)
                .order(ByteOrder.nativeOrder())
                .putLong(time.toSeconds())
                .putLong(time.toNanosPart() / 1000)
                .array();
    }

    public Peer peer() throws PosixException {
        var credentials = socket.bytes(SocketOption.PEER_CREDENTIALS, 12);
        return new Peer(credentials.getInt(0), credentials.getInt(4), credentials.getInt(8));
    }

    /// Sends all of it as one packet. The descriptors stay the caller's.
    public void send(byte[] bytes, List<Descriptor> descriptors) throws PosixException {
        var _ = socket.descriptor().use(fd -> sendNumbers(fd, bytes, descriptors, new int[descriptors.size()], 0));
    }

    /// Holds each descriptor open until the packet is sent.
    private static long sendNumbers(int fd, byte[] bytes, List<Descriptor> descriptors, int[] numbers, int next)
            throws PosixException {
        if (next < numbers.length) {
            return descriptors.get(next).use(number -> {
                numbers[next] = number;
                return sendNumbers(fd, bytes, descriptors, numbers, next + 1);
            });
        }
        return Libc.call("sendmsg", "", (arena, state) -> {
            var message = MessageHeader.sending(arena, bytes, numbers);
            return Libc.word(Libc.SENDMSG, state, fd, message.segment().address(), MSG_NOSIGNAL);
        });
    }

    /// Waits for the next packet; empty when the peer has closed. An empty packet looks the same.
    public Optional<Packet> receive(int mostBytes, int mostDescriptors) throws PosixException {
        try (var arena = Arena.ofConfined()) {
            var message = MessageHeader.receiving(arena, mostBytes, mostDescriptors);
            var length = (int) socket.descriptor()
                    .use(fd -> Libc.call(
                            "recvmsg",
                            "",
                            (_, state) -> Libc.word(
                                    Libc.RECVMSG, state, fd, message.segment().address(), MSG_CMSG_CLOEXEC)));
            var packet = message.packet(length);
            if (length == 0 && packet.truncated() == Truncation.NONE) {
                packet.close();
                return Optional.empty();
            }
            return Optional.of(packet);
        } catch (PosixException e) {
            if (e.errno() == Errno.ECONNRESET || e.errno() == 9) {
                return Optional.empty(); // the peer left before it read everything, or this side has closed
            }
            throw e;
        }
    }

    @Override
    public void close() {
        try {
            var _ = socket.descriptor()
                    .use(fd ->
                            Libc.call("shutdown", "", (_, state) -> Libc.integer(Libc.SHUTDOWN, state, fd, SHUT_RDWR)));
        } catch (PosixException e) {
            // closed already, or never connected: nobody is left to be woken
        }
        socket.close();
    }
}
