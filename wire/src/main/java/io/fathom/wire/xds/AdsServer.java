// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.auth.BoundedTasks;
import io.fathom.wire.auth.CallGate;
import io.fathom.wire.xds.debug.DebugPages;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.stream.StreamGate;
import io.fathom.wire.xds.stream.StreamTable;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Serves a [ResourceStore] to xDS clients, on a plaintext port, a TLS port, or both.
public final class AdsServer implements AutoCloseable {
    /// Finding out who a client is may take a remote call; after a restart all clients come at once.
    private static final int ADMISSIONS_AT_ONCE = 1000;

    /// Tells each connection that does not speak HTTP/2, with a stack trace: anyone could fill a disk. Kept in a
    /// field because the library forgets the levels of loggers that nobody holds.
    private static final Logger TRANSPORTS = Logger.getLogger("io.grpc.netty.NettyServerTransport");

    static {
        TRANSPORTS.setLevel(Level.WARNING);
    }

    private final AdsEndpoint endpoint;
    private final BoundedTasks admissions = new BoundedTasks("xds-admission", ADMISSIONS_AT_ONCE);
    private final List<Server> servers = new ArrayList<>();
    private OptionalInt plaintextPort = OptionalInt.empty();
    private OptionalInt tlsPort = OptionalInt.empty();

    private AdsServer(AdsEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /// Starts listening. Clients are refused until the store is ready.
    ///
    /// @throws ProblemException when a port cannot be had
    public static AdsServer start(AdsConfig config, ResourceStore store, XdsObserver observer, InstantSource clock) {
        return start(config, store, observer, clock, AdsGates.OPEN);
    }

    /// The same with gates before the ports and more services behind them.
    ///
    /// @throws ProblemException when a port cannot be had
    public static AdsServer start(
            AdsConfig config, ResourceStore store, XdsObserver observer, InstantSource clock, AdsGates gates) {
        return start(config, store, observer, clock, gates, ProxyFeeds.NONE);
    }

    /// The same for Envoys too.
    ///
    /// @throws ProblemException when a port cannot be had
    public static AdsServer start(
            AdsConfig config,
            ResourceStore store,
            XdsObserver observer,
            InstantSource clock,
            AdsGates gates,
            ProxyFeeds feeds) {
        var server = new AdsServer(new AdsEndpoint(config, store, observer, clock, feeds));
        try {
            config.plaintextPort()
                    .ifPresent(port -> server.plaintextPort = OptionalInt.of(
                            server.listen(config, server.builder(config, port, gates.plaintext(), gates), port)));
            config.tls().ifPresent(tls -> {
                var builder =
                        server.builder(config, tls.port(), gates.tls(), gates).sslContext(tls.context());
                gates.certificates().ifPresent(service -> builder.addService(service.definition()));
                server.tlsPort = OptionalInt.of(server.listen(config, builder, tls.port()));
            });
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        return server;
    }

    private NettyServerBuilder builder(AdsConfig config, int port, Optional<StreamGate> gate, AdsGates gates) {
        var addresses = config.hosts().isEmpty()
                ? List.of(new InetSocketAddress(port))
                : config.hosts().stream()
                        .map(host -> new InetSocketAddress(host, port))
                        .toList();
        var builder = NettyServerBuilder.forAddress(addresses.getFirst())
                .addService(guarded(gate))
                .executor(endpoint.workers())
                .maxInboundMessageSize(config.limits().maxReceiveBytes())
                .maxConcurrentCallsPerConnection(config.limits().maxConcurrentStreams())
                .keepAliveTime(config.limits().keepaliveTime().toNanos(), TimeUnit.NANOSECONDS)
                .keepAliveTimeout(config.limits().keepaliveTimeout().toNanos(), TimeUnit.NANOSECONDS)
                .permitKeepAliveTime(config.limits().minClientPing().toNanos(), TimeUnit.NANOSECONDS)
                .permitKeepAliveWithoutCalls(true);
        gates.feed().ifPresent(service -> builder.addService(service.definition()));
        addresses.stream().skip(1).forEach(builder::addListenAddress);
        config.limits()
                .maxConnectionAge()
                .ifPresent(age -> builder.maxConnectionAge(age.toNanos(), TimeUnit.NANOSECONDS)
                        .maxConnectionAgeGrace(10, TimeUnit.SECONDS));
        return builder;
    }

    private ServerServiceDefinition guarded(Optional<StreamGate> gate) {
        return gate.map(guard -> ServerInterceptors.intercept(
                        endpoint.service(), new CallGate<>(AdsEndpoint.NODE_CHECK, guard::admit, admissions)))
                .orElseGet(endpoint::service);
    }

    private int listen(AdsConfig config, NettyServerBuilder builder, int port) {
        try {
            var server = builder.build().start();
            servers.add(server);
            return server.getPort();
        } catch (IOException e) {
            throw new ProblemException(new Problem(
                    "xds-port-unavailable",
                    "cannot listen on " + String.join(" and ", config.hosts()) + ":" + port + ": " + e.getMessage(),
                    "stop whatever uses the port, or choose another one",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
    }

    /// The port that was bound, when one was asked for.
    public OptionalInt plaintextPort() {
        return plaintextPort;
    }

    /// The port that was bound, when one was asked for.
    public OptionalInt tlsPort() {
        return tlsPort;
    }

    /// Who is connected.
    public StreamTable streams() {
        return endpoint.table();
    }

    /// Ends the streams of clients that would not be admitted any more.
    public void recheck() {
        endpoint.recheck();
    }

    /// What clients have acknowledged.
    public Acknowledgements acknowledgements() {
        return endpoint.acknowledgements();
    }

    /// From now on answers what `istioctl` asks for.
    public void show(DebugPages pages) {
        endpoint.debug().use(pages);
    }

    /// Stops accepting, tells every client to go elsewhere, and waits a moment for them to leave.
    @Override
    public void close() {
        servers.forEach(Server::shutdown);
        endpoint.closeStreams();
        try {
            for (var server : servers) {
                if (!server.awaitTermination(2, TimeUnit.SECONDS)) {
                    server.shutdownNow();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            servers.forEach(Server::shutdownNow);
        }
        endpoint.close();
        admissions.close();
    }
}
