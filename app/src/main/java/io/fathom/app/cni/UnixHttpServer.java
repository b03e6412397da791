// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.http.HeadReader;
import io.fathom.wire.http.HttpStatus;
import io.fathom.wire.http.RequestHead;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers HTTP/1.1 requests at a Unix socket: one for each connection, with its body. Each has a virtual thread.
///
/// Anybody may connect, as the host's programs run as whom they like; whoever is not root is turned away. Connections
/// are bounded in number.
final class UnixHttpServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(UnixHttpServer.class);
    private static final int MOST_CONNECTIONS = 256;
    private static final int MOST_HEAD = 16 * 1024;
    private static final int MOST_BODY = 1024 * 1024;

    private final Path path;
    private final ServerSocketChannel listener;
    private final Handler handler;
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();

    record UnixRequest(String method, String path, String body) {}

    record UnixReply(int status, String body) {}

    /// May block.
    interface Handler {
        /// Answers one request.
        ///
        /// @param gone done when the client does not wait any more
        UnixReply reply(UnixRequest request, CompletableFuture<Void> gone) throws InterruptedException;
    }

    private UnixHttpServer(Path path, ServerSocketChannel listener, Handler handler) {
        this.path = path;
        this.listener = listener;
        this.handler = handler;
    }

    /// A socket file that is left from before is replaced.
    static UnixHttpServer start(Path path, Handler handler) throws ProblemException {
        try {
            Files.deleteIfExists(path);
            var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                listener.bind(UnixDomainSocketAddress.of(path), 128);
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-rw-"));
            } catch (IOException e) {
                listener.close();
                throw e;
            }
            var server = new UnixHttpServer(path, listener, handler);
            Thread.ofPlatform().daemon().name("accept " + path.getFileName()).start(server::acceptAll);
            return server;
        } catch (IOException e) {
            throw CniConfig.failed(
                    "socket-unavailable",
                    "cannot listen at " + path + ": " + e,
                    "check that its folder can be written to");
        }
    }

    private void acceptAll() {
        while (listener.isOpen()) {
            try {
                var channel = listener.accept();
                if (connections.size() >= MOST_CONNECTIONS || !isRoot(channel)) {
                    channel.close();
                } else {
                    connections.add(channel);
                    Thread.ofVirtual().name("unix-http").start(() -> serve(channel));
                }
            } catch (IOException e) {
                if (listener.isOpen()) {
                    log.atWarn().setCause(e).log("a connection could not be accepted");
                }
            }
        }
    }

    private static boolean isRoot(SocketChannel channel) throws IOException {
        var peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
        var root = FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName("0");
        if (peer.user().equals(root)) { // compares numbers, not names
            return true;
        }
        log.atWarn().addKeyValue("user", peer.user().getName()).log("refused: only root may ask the agent");
        return false;
    }

    private void serve(SocketChannel channel) {
        try (channel) {
            var request = request(channel);
            var gone = new CompletableFuture<Void>();
            Thread.ofVirtual().name("unix-http-end").start(() -> awaitEnd(channel, gone));
            var reply = handler.reply(request, gone);
            send(channel, reply);
        } catch (HeadReader.BadHeadException e) {
            trySend(channel, new UnixReply(400, "this is not an HTTP/1.1 request: " + e.getMessage()));
        } catch (ProtocolException e) {
            trySend(channel, new UnixReply(400, String.valueOf(e.getMessage())));
        } catch (IOException e) {
            log.atDebug().setCause(e).log("a client left");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("answering a client has a bug");
            trySend(channel, new UnixReply(500, "the agent failed: see its log"));
        } finally {
            connections.remove(channel);
        }
    }

    /// A client has nothing more to say after its request.
    private static void awaitEnd(SocketChannel channel, CompletableFuture<Void> gone) {
        try {
            while (channel.read(ByteBuffer.allocate(64)) >= 0) {
                // whatever it is
            }
        } catch (IOException e) {
            // it has closed, or we have
        }
        gone.complete(null);
    }

    private static void trySend(SocketChannel channel, UnixReply reply) {
        try {
            send(channel, reply);
        } catch (IOException e) {
            log.atDebug().setCause(e).log("a client left");
        }
    }

    private static void send(SocketChannel channel, UnixReply reply) throws IOException {
        var body = reply.body().getBytes(StandardCharsets.UTF_8);
        var head =
                "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
                        .formatted(reply.status(), HttpStatus.reason(reply.status()), body.length);
        var bytes = ByteBuffer.allocate(head.length() + body.length)
                .put(head.getBytes(StandardCharsets.US_ASCII))
                .put(body)
                .flip();
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private static UnixRequest request(SocketChannel channel) throws IOException {
        var in = new HeadReader(Channels.newInputStream(channel), MOST_HEAD);
        var head = RequestHead.read(in);
        var body = in.body(head.headers()).readNBytes(MOST_BODY + 1);
        if (body.length > MOST_BODY) {
            throw new ProtocolException("the body of the request is too long");
        }
        return new UnixRequest(head.method(), head.target(), new String(body, StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        try {
            listener.close();
            Files.deleteIfExists(path);
            for (var connection : connections) {
                connection.close();
            }
        } catch (IOException e) {
            log.atDebug().setCause(e).log("a socket could not be closed");
        }
    }
}
