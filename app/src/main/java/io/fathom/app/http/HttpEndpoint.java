// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Serves [Pages] over HTTP/1.1 on blocking sockets, with or without TLS, one virtual thread per connection.
///
/// The JDK's own HTTP server is not used because it turns away `GET //version`, which is what istioctl sends.
/// Connections are bounded in number, and each phase of one in time ([HttpVisit]): clients that stall are cut. Where
/// no room is left, some of them make room for those who come.
public final class HttpEndpoint implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HttpEndpoint.class);
    private static final int BACKLOG = 1024;
    private static final int MOST_CONNECTIONS = 512;
    private static final int MOST_AT_ONCE = 32;
    private static final int LOOK_AROUND_MILLIS = 1000;
    private static final int LAST_ANSWERS_MILLIS = 2000;

    private final ServerSocket listener;
    private final Pages pages;
    private final Optional<SSLContext> tls;
    private final Set<HttpVisit> visits = ConcurrentHashMap.newKeySet();

    private HttpEndpoint(ServerSocket listener, Pages pages, Optional<SSLContext> tls) {
        this.listener = listener;
        this.pages = pages;
        this.tls = tls;
    }

    /// Listens at once. The owner closes it.
    public static HttpEndpoint start(InetSocketAddress address, Pages pages) throws IOException {
        return start(address, pages, Optional.empty());
    }

    /// The same for a program that cannot do without the port.
    ///
    /// @param code of the problem that is thrown when the port cannot be had
    /// @param fix what to do about it
    public static HttpEndpoint listen(InetSocketAddress address, Pages pages, String code, String fix) {
        try {
            return start(address, pages);
        } catch (IOException e) {
            throw new ProblemException(new Problem(
                    code,
                    "cannot listen on " + address + ": " + e.getMessage(),
                    fix,
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
    }

    /// The same over TLS.
    public static HttpEndpoint startTls(InetSocketAddress address, Pages pages, SSLContext tls) throws IOException {
        return start(address, pages, Optional.of(tls));
    }

    private static HttpEndpoint start(InetSocketAddress address, Pages pages, Optional<SSLContext> tls)
            throws IOException {
        var listener = new ServerSocket();
        try {
            listener.setReuseAddress(true);
            listener.setSoTimeout(LOOK_AROUND_MILLIS);
            listener.bind(address, BACKLOG);
        } catch (IOException e) {
            listener.close();
            throw e;
        }
        var endpoint = new HttpEndpoint(listener, pages, tls);
        Thread.ofPlatform().daemon().name("http-accept").start(endpoint::acceptAll);
        return endpoint;
    }

    public int port() {
        return listener.getLocalPort();
    }

    /// Stops listening, lets the answers under way finish for a moment and cuts what is open. Blocks meanwhile.
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            log.atDebug().setCause(e).log("http socket could not be closed");
        }
        visits.stream().filter(visit -> !visit.isAnswered()).forEach(HttpVisit::cut);
        try {
            for (var wait = 0; wait < LAST_ANSWERS_MILLIS && visits.stream().anyMatch(HttpVisit::isAnswered); wait++) {
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        visits.forEach(HttpVisit::cut);
    }

    private void acceptAll() {
        var looked = System.nanoTime();
        while (!listener.isClosed()) {
            try {
                accept(listener.accept());
            } catch (SocketTimeoutException e) {
                // a moment without visitors
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    log.atWarn().setCause(e).log("http connection could not be accepted");
                }
            }
            var now = System.nanoTime();
            if (now - looked > LOOK_AROUND_MILLIS * 1_000_000L) {
                looked = now;
                visits.stream().filter(visit -> visit.isOverdue(now)).forEach(HttpVisit::cut);
            }
        }
    }

    private void accept(Socket socket) throws IOException {
        if (visits.size() >= MOST_CONNECTIONS) {
            for (var visit : HttpVisit.toLeave(visits, MOST_AT_ONCE)) {
                visits.remove(visit); // its thread ends a little later
                visit.cut();
            }
        }
        socket.setTcpNoDelay(true);
        var visit = new HttpVisit(socket.getInetAddress().getHostAddress(), socket, System.nanoTime());
        visits.add(visit);
        Thread.ofVirtual().name("http").start(() -> serve(socket, visit));
    }

    private void serve(Socket socket, HttpVisit visit) {
        try (var secured = secured(socket)) {
            new HttpConnection(secured, pages, visit).serve();
        } catch (IOException | RuntimeException e) {
            log.atDebug().setCause(e).log("http client left");
        } finally {
            visit.cut();
            visits.remove(visit);
        }
    }

    private Socket secured(Socket socket) throws IOException {
        if (tls.isEmpty()) {
            return socket;
        }
        var client = socket.getInetAddress().getHostAddress();
        var secured = (SSLSocket) tls.get().getSocketFactory().createSocket(socket, client, socket.getPort(), true);
        secured.setUseClientMode(false);
        secured.setEnabledProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
        return secured;
    }
}
