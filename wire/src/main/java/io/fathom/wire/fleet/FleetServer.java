// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.tls.ReloadingServerTls;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// The gRPC port of a management server. Each call runs on virtual threads, so what it does may block.
public final class FleetServer implements AutoCloseable {
    private static final int LARGEST = 1 << 20;
    private static final int CALLS_PER_CONNECTION = 8;

    private final Server server;
    private final ExecutorService threads;

    private FleetServer(Server server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /// Starts to listen.
    ///
    /// @throws ProblemException when the port cannot be had
    public static FleetServer start(InetSocketAddress address, ReloadingServerTls tls, FleetHandler handler) {
        var threads = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("fleet-", 0).factory());
        try {
            var server = NettyServerBuilder.forAddress(address)
                    .sslContext(tls)
                    .intercept(new CallerCertificate())
                    .addService(new JoinEndpoint(handler))
                    .addService(new SyncEndpoint(handler, threads))
                    .executor(threads)
                    .maxInboundMessageSize(LARGEST)
                    .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
                    .handshakeTimeout(5, TimeUnit.SECONDS)
                    .keepAliveTime(10, TimeUnit.SECONDS)
                    .keepAliveTimeout(20, TimeUnit.SECONDS)
                    .permitKeepAliveTime(5, TimeUnit.SECONDS)
                    .permitKeepAliveWithoutCalls(true)
                    .build()
                    .start();
            return new FleetServer(server, threads);
        } catch (IOException e) {
            threads.close();
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
    }
}
