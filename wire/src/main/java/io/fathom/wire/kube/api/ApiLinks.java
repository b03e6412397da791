// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.http.HttpLink;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// The connections to one API server: those in use, and a few that wait for the next call. Any thread.
final class ApiLinks implements AutoCloseable {
    private static final int MOST_IDLE = 4;
    /// Shorter than servers wait before they close a connection that is not used.
    private static final long LONGEST_IDLE = Duration.ofSeconds(20).toNanos();

    private record Idle(HttpLink link, long since) {}

    private final KubeConfig config;
    private final KubeSettings settings;
    private final ApiTls tls;
    private final Deque<Idle> idle = new ArrayDeque<>();
    private final Set<HttpLink> open = new HashSet<>();
    private boolean closed;

    ApiLinks(KubeConfig config, KubeSettings settings) {
        this.config = config;
        this.settings = settings;
        this.tls = new ApiTls(config);
    }

    /// A connection that has been used before, if one waits.
    synchronized Optional<HttpLink> waiting() {
        for (var next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
            if (System.nanoTime() - next.since() < LONGEST_IDLE) {
                return Optional.of(next.link());
            }
            end(next.link());
        }
        return Optional.empty();
    }

    /// A new connection whose reads may take `patience`.
    HttpLink open(Duration patience) throws IOException {
        var server = config.server();
        var secure = server.getScheme().equals("https");
        var host = server.getHost().startsWith("[")
                ? server.getHost().substring(1, server.getHost().length() - 1)
                : server.getHost();
        var port = server.getPort() >= 0 ? server.getPort() : secure ? 443 : 80;
        var socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            keepAlive(socket);
            socket.setSoTimeout((int) settings.connect().toMillis());
            socket.connect(
                    new InetSocketAddress(host, port), (int) settings.connect().toMillis());
            var stream = secure ? tls.over(socket, host, port) : socket;
            socket.setSoTimeout((int) patience.toMillis());
            var link = new HttpLink(stream.getInputStream(), stream.getOutputStream(), stream);
            register(link);
            return link;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /// A watch would not notice otherwise that the server's machine is gone, for hours if it were left to the defaults.
    @SuppressWarnings("unchecked")
    private static void keepAlive(Socket socket) throws IOException {
        socket.setKeepAlive(true);
        for (var option : socket.supportedOptions()) { // found by name: a small runtime may lack their module
            switch (option.name()) {
                case "TCP_KEEPIDLE" -> socket.setOption((SocketOption<Integer>) option, 15);
                case "TCP_KEEPINTERVAL" -> socket.setOption((SocketOption<Integer>) option, 5);
                case "TCP_KEEPCOUNT" -> socket.setOption((SocketOption<Integer>) option, 4);
                default -> {}
            }
        }
    }

    private synchronized void register(HttpLink link) throws IOException {
        if (closed) {
            throw new IOException("the client is closed");
        }
        open.add(link);
    }

    /// Takes back a connection whose answer has been read, or whose call failed.
    synchronized void giveBack(HttpLink link) {
        if (closed || !link.isReusable() || idle.size() >= MOST_IDLE) {
            end(link);
        } else {
            idle.addFirst(new Idle(link, System.nanoTime()));
        }
    }

    synchronized void end(HttpLink link) {
        open.remove(link);
        link.close();
    }

    /// Ends calls that wait, too.
    @Override
    public synchronized void close() {
        closed = true;
        idle.clear();
        open.forEach(HttpLink::close);
        open.clear();
    }
}
