// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/// Takes connections at a path. Accepting blocks: use a platform thread; closing from another wakes it.
public final class SeqPacketListener implements AutoCloseable {
    private static final int BACKLOG = 64;
    private static final int CLOEXEC = 0x80000;
    private static final int SHUT_RDWR = 2;

    private final Path path;
    private final NativeSocket socket;
    private volatile boolean closed;

    private SeqPacketListener(Path path, NativeSocket socket) {
        this.path = path;
        this.socket = socket;
    }

    /// A socket file that is left from before is replaced.
    ///
    /// @param permissions such as `rw-rw-rw-`
    public static SeqPacketListener bind(Path path, String permissions) throws IOException {
        Files.deleteIfExists(path);
        var socket = NativeSocket.open(NativeSocket.SocketFamily.UNIX, NativeSocket.SocketType.SEQPACKET);
        try {
            var _ = socket.descriptor()
                    .use(fd -> Libc.call(
                            "bind",
                            path.toString(),
                            (arena, state) -> Libc.integer(
                                    Libc.BIND,
                                    state,
                                    fd,
                                    UnixAddress.of(arena, path).address(),
                                    UnixAddress.LENGTH)));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
            var _ = socket.descriptor()
                    .use(fd -> Libc.call(
                            "listen", path.toString(), (_, state) -> Libc.integer(Libc.LISTEN, state, fd, BACKLOG)));
            return new SeqPacketListener(path, socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /// Waits for the next connection; empty once this is closed.
    public Optional<SeqPacketSocket> accept() throws PosixException {
        try {
            var descriptor = Descriptor.of(socket.descriptor()
                    .use(fd -> Libc.call(
                            "accept",
                            path.toString(),
                            (_, state) -> Libc.integer(Libc.ACCEPT, state, fd, 0, 0, CLOEXEC))));
            return Optional.of(new SeqPacketSocket(new NativeSocket(descriptor)));
        } catch (PosixException e) {
            if (closed) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            var _ = socket.descriptor()
                    .use(fd -> Libc.call(
                            "shutdown",
                            "",
                            (_, state) -> Libc.integer(Libc.SHUTDOWN, state, fd, SHUT_RDWR))); // wakes whoever accepts
        } catch (PosixException e) {
            // closed already
        }
        socket.close();
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // whoever binds there next replaces it
        }
    }
}
