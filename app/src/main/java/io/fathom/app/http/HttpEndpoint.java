// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Serves [Pages] over HTTP/1.1, with or without TLS. One thread waits for requests ([HttpAcceptor]); each connection
/// that has sent one gets a virtual thread.
///
/// The JDK's own HTTP server is not used because it turns away `GET //version`, which is what istioctl sends.
/// Connections are bounded in number, and each phase of one in time ([HttpVisit]): clients that stall are cut. Where
/// no room is left, some of them make room for those who come.
public final class HttpEndpoint implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HttpEndpoint.class);
    private static final int BACKLOG = 1024;
    private static final int LAST_ANSWERS_MILLIS = 2000;

    private final Pages pages;
    private final Optional<SSLContext> tls;
    private final Set<HttpVisit> visits = ConcurrentHashMap.newKeySet();
    private final int port;
    private final HttpAcceptor acceptor;
    private final Thread accepting;

    private HttpEndpoint(ServerSocketChannel listener, Pages pages, Optional<SSLContext> tls) throws IOException {
        this.pages = pages;
        this.tls = tls;
        this.port = listener.socket().getLocalPort();
        var opening = tls.isPresent() ? HttpArrival.Opening.TLS_RECORD : HttpArrival.Opening.HEAD;
        this.acceptor = new HttpAcceptor(listener, opening, pages, visits, this::begin);
        this.accepting = Thread.ofPlatform().daemon().name("http-accept").unstarted(acceptor);
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
        var listener = ServerSocketChannel.open();
        try {
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            bind(listener, address);
            var endpoint = new HttpEndpoint(listener, pages, tls);
            endpoint.accepting.start();
            return endpoint;
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    /// Where there is no IPv6, all its addresses means all of IPv4.
    private static void bind(ServerSocketChannel listener, InetSocketAddress address) throws IOException {
        try {
            listener.bind(address, BACKLOG);
        } catch (UnsupportedAddressTypeException e) {
            if (!address.getAddress().isAnyLocalAddress()) {
                throw new IOException("there is no IPv6 here", e);
            }
            listener.bind(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), address.getPort()), BACKLOG);
        }
    }

    public int port() {
        return port;
    }

    /// Stops listening, lets the answers under way finish for a moment and cuts what is open. Blocks meanwhile.
    @Override
    public void close() {
        acceptor.stop();
        try {
            accepting.join(LAST_ANSWERS_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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

    private void begin(SocketChannel channel, HttpVisit visit, byte[] begun) {
        Thread.ofVirtual().name("http").start(() -> serve(channel, visit, new ByteArrayInputStream(begun)));
    }

    private void serve(SocketChannel channel, HttpVisit visit, InputStream begun) {
        var plain = channel.socket();
        try (var socket = tls.isPresent() ? secured(tls.get(), plain, begun) : plain) {
            var in =
                    tls.isPresent() ? socket.getInputStream() : new SequenceInputStream(begun, socket.getInputStream());
            var fromLoopback = plain.getInetAddress().isLoopbackAddress();
            new HttpConnection(in, socket.getOutputStream(), pages, visit, fromLoopback).serve();
        } catch (IOException | RuntimeException e) {
            log.atDebug().setCause(e).log("http client left");
        } finally {
            visit.cut();
            visits.remove(visit);
        }
    }

    private static Socket secured(SSLContext tls, Socket socket, InputStream begun) throws IOException {
        var secured = (SSLSocket) tls.getSocketFactory().createSocket(socket, begun, true);
        secured.setEnabledProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
        return secured;
    }
}
