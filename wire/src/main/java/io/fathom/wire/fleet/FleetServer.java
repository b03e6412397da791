// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.tls.ReloadingServerTls;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Server;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/// The gRPC port of a management server. Each call runs on virtual threads, so what it does may block.
public final class FleetServer implements AutoCloseable {
    private static final int LARGEST = 1 << 20;
    private static final int CALLS_PER_CONNECTION = 2;
    private static final int WINDOW = 256 * 1024;

    /// Tells each connection that does not speak HTTP/2, with a stack trace: anyone could fill a disk. Kept in a
    /// field because the library forgets the levels of loggers that nobody holds.
    private static final Logger TRANSPORTS = Logger.getLogger("io.grpc.netty.NettyServerTransport");

    static {
        TRANSPORTS.setLevel(Level.WARNING);
    }

    private final Server server;
    private final ExecutorService threads;
    private final EventLoopGroup loops;
    private final ConnectionTable connections;
    private final StreamBytes bytes;

    private FleetServer(
            Server server,
            ExecutorService threads,
            EventLoopGroup loops,
            ConnectionTable connections,
            StreamBytes bytes) {
        this.server = server;
        this.threads = threads;
        this.loops = loops;
        this.connections = connections;
        this.bytes = bytes;
    }

    /// Starts to listen.
    ///
    /// @throws ProblemException when the port cannot be had
    public static FleetServer start(
            InetSocketAddress address, ReloadingServerTls tls, FleetLimits limits, FleetHandler handler) {
        var threads = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("fleet-", 0).factory());
        var loops = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        var bytes = new StreamBytes();
        var connections = new ConnectionTable(limits, handler::evicted);
        try {
            var server = NettyServerBuilder.forAddress(address)
                    .channelFactory(() -> new GuardedServerChannel(connections))
                    .bossEventLoopGroup(loops)
                    .workerEventLoopGroup(loops)
                    .sslContext(tls)
                    .addStreamTracerFactory(bytes)
                    .addTransportFilter(new Identification(connections))
                    .intercept(new CallerCertificate())
                    .addService(new JoinEndpoint(handler))
                    .addService(new SyncEndpoint(handler, threads))
                    .addService(new ReplicaEndpoint(handler, threads))
                    .executor(threads)
                    .maxInboundMessageSize(LARGEST)
                    .flowControlWindow(WINDOW)
                    .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
                    .handshakeTimeout(5, TimeUnit.SECONDS)
                    .keepAliveTime(10, TimeUnit.SECONDS)
                    .keepAliveTimeout(20, TimeUnit.SECONDS)
                    .permitKeepAliveTime(5, TimeUnit.SECONDS)
                    .permitKeepAliveWithoutCalls(true)
                    .build()
                    .start();
            return new FleetServer(server, threads, loops, connections, bytes);
        } catch (IOException e) {
            threads.close();
            var _ = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new ProblemException(new Problem(
                    "fleet-port-unavailable",
                    "cannot listen on " + address + ": " + e.getMessage(),
                    "stop whatever uses the port, or choose another one; 0 takes any free one",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
    }

    public int port() {
        return server.getPort();
    }

    /// Who is connected.
    public ConnectionCounts connections() {
        return connections.counts();
    }

    /// Of messages, without what is around them.
    public long bytesReceived() {
        return bytes.received();
    }

    public long bytesSent() {
        return bytes.sent();
    }

    /// Ends all streams.
    @Override
    public void close() {
        server.shutdownNow();
        try {
            if (!server.awaitTermination(5, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        threads.close();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /// Tells members from strangers as soon as the handshake is done.
    private static final class Identification extends ServerTransportFilter {
        private final ConnectionTable connections;

        Identification(ConnectionTable connections) {
            this.connections = connections;
        }

        @Override
        public Attributes transportReady(Attributes attributes) {
            if (attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) instanceof InetSocketAddress peer) {
                CallerCertificate.of(attributes)
                        .ifPresent(shown -> connections.identified(peer, String.join(",", AlternativeNames.of(shown))));
            }
            return attributes;
        }
    }
}
