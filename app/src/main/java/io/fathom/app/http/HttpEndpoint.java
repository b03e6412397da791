package io.fathom.app.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Serves [Pages] over HTTP/1.1 on blocking sockets, one virtual thread per connection.
///
/// The JDK's own HTTP server is not used because it turns away `GET //version`, which is what istioctl sends.
/// Connections are bounded in number and in age, so a client that stalls costs a socket and a stack for a while.
public final class HttpEndpoint implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HttpEndpoint.class);
    private static final int BACKLOG = 128;
    private static final int MOST_CONNECTIONS = 512;
    private static final int IDLE_MILLIS = 30_000;
    private static final long MOST_AGE_NANOS = 600_000_000_000L;

    private final ServerSocket listener;
    private final Pages pages;
    private final Map<Socket, Long> connections = new ConcurrentHashMap<>(); // with the time each one was made

    private HttpEndpoint(ServerSocket listener, Pages pages) {
        this.listener = listener;
        this.pages = pages;
    }

    /// Listens at once. The owner closes it.
    public static HttpEndpoint start(InetSocketAddress address, Pages pages) throws IOException {
        var listener = new ServerSocket();
        try {
            listener.setReuseAddress(true);
            listener.bind(address, BACKLOG);
        } catch (IOException e) {
            listener.close();
            throw e;
        }
        var endpoint = new HttpEndpoint(listener, pages);
        Thread.ofPlatform().daemon().name("http-accept").start(endpoint::acceptAll);
        return endpoint;
    }

    public int port() {
        return listener.getLocalPort();
    }

    /// Stops listening and cuts what is open.
    @Override
    public void close() {
        quietly(listener);
        connections.keySet().forEach(HttpEndpoint::quietly);
    }

    private void acceptAll() {
        while (!listener.isClosed()) {
            try {
                accept(listener.accept());
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    log.atWarn().setCause(e).log("http connection could not be accepted");
                }
            }
        }
    }

    private void accept(Socket socket) throws IOException {
        if (connections.size() >= MOST_CONNECTIONS) {
            var now = System.nanoTime();
            connections.forEach((old, made) -> {
                if (now - made > MOST_AGE_NANOS) {
                    quietly(old);
                }
            });
            socket.close();
            return;
        }
        socket.setSoTimeout(IDLE_MILLIS);
        socket.setTcpNoDelay(true);
        connections.put(socket, System.nanoTime());
        Thread.ofVirtual().name("http").start(() -> serve(socket));
    }

    private void serve(Socket socket) {
        try (socket) {
            new HttpConnection(socket, pages).serve();
        } catch (IOException | RuntimeException e) {
            log.atDebug().setCause(e).log("http client left");
        } finally {
            connections.remove(socket);
        }
    }

    private static void quietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            log.atDebug().setCause(e).log("http socket could not be closed");
        }
    }
}
