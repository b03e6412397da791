// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.fathom.wire.xds.debug.DebugAnswers;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.Connection;
import io.fathom.wire.xds.stream.DeltaStream;
import io.fathom.wire.xds.stream.EnvoyStream;
import io.fathom.wire.xds.stream.OwnSecrets;
import io.fathom.wire.xds.stream.SotwStream;
import io.fathom.wire.xds.stream.StreamGate;
import io.fathom.wire.xds.stream.StreamRejection;
import io.fathom.wire.xds.stream.StreamTable;
import io.fathom.wire.xds.stream.XdsStream;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// The aggregated discovery service: what all streams share, and how one begins. Requests are read and first answers
/// made on workers, pushes on lanes.
final class AdsEndpoint implements AutoCloseable {
    /// What the client of a call may say that it is; set by the gate of a port, if it has one.
    static final Context.Key<StreamGate.NodeCheck> NODE_CHECK =
            Context.keyWithDefault("node-check", StreamGate.NodeCheck.NONE);

    private final ResourceStore store;
    private final XdsObserver observer;
    private final InstantSource clock;
    private final ProxyFeeds feeds;
    private final AdsConfig config;
    private final StreamTable table = new StreamTable();
    private final DebugAnswers debug = new DebugAnswers(table);
    private final SendBudget budget;
    private final PushLanes lanes;
    private final ExecutorService workers;
    private final ScheduledExecutorService timer;
    private final Set<AdsCall> calls = ConcurrentHashMap.newKeySet();
    private final AtomicLong streams = new AtomicLong();
    private final Acknowledgements acknowledgements = new Acknowledgements(() -> calls);

    AdsEndpoint(AdsConfig config, ResourceStore store, XdsObserver observer, InstantSource clock, ProxyFeeds feeds) {
        this.config = config;
        this.store = store;
        this.observer = observer;
        this.clock = clock;
        this.feeds = feeds;
        this.budget = new SendBudget(config.limits().largeBytes());
        var cores = Runtime.getRuntime().availableProcessors();
        this.workers = Executors.newFixedThreadPool(
                Math.max(4, 2 * cores),
                Thread.ofPlatform().daemon().name("xds-call-", 0).factory());
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("xds-timer").factory());
        this.lanes = new PushLanes(store, config.pacing(), Math.clamp(cores, 1, 8), observer);
    }

    ServerServiceDefinition service() {
        var names = config.streams().names();
        var delta = method(
                AggregatedDiscoveryServiceGrpc.getDeltaAggregatedResourcesMethod(),
                AdsMarshallers.requests(in -> RequestDecoder.delta(in, available(in), names)));
        var sotw = method(
                AggregatedDiscoveryServiceGrpc.getStreamAggregatedResourcesMethod(),
                AdsMarshallers.requests(in -> RequestDecoder.stateOfTheWorld(in, available(in), names)));
        var descriptor = ServiceDescriptor.newBuilder(AggregatedDiscoveryServiceGrpc.SERVICE_NAME)
                .setSchemaDescriptor(
                        AggregatedDiscoveryServiceGrpc.getServiceDescriptor().getSchemaDescriptor())
                .addMethod(delta)
                .addMethod(sotw)
                .build();
        return ServerServiceDefinition.builder(descriptor)
                .addMethod(delta, (call, _) -> begin(call, Connection.Protocol.DELTA))
                .addMethod(sotw, (call, _) -> begin(call, Connection.Protocol.STATE_OF_THE_WORLD))
                .build();
    }

    private static MethodDescriptor<Inbound, XdsResponse> method(
            MethodDescriptor<?, ?> generated, MethodDescriptor.Marshaller<Inbound> requests) {
        return generated.toBuilder(requests, AdsMarshallers.responses()).build();
    }

    private static int available(InputStream in) {
        try {
            return in.available();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ServerCall.Listener<Inbound> begin(ServerCall<Inbound, XdsResponse> call, Connection.Protocol protocol) {
        if (!store.isReady()) {
            call.close(
                    Status.UNAVAILABLE.withDescription("server is not ready to serve discovery information"),
                    new Metadata());
            return new ServerCall.Listener<>() {};
        }
        call.sendHeaders(new Metadata());
        var stream = new AdsCall(call, protocol, NODE_CHECK.get(), this);
        calls.add(stream);
        stream.join(lanes);
        call.request(1);
        return stream;
    }

    /// @param first the type that the client asks for first
    /// @param check by whom the client was let in
    XdsStream open(Connection.Protocol protocol, ClientNode client, XdsType first, StreamGate.NodeCheck check) {
        var feed = feeds.feed(client);
        if (feed.isPresent() && protocol == Connection.Protocol.DELTA) {
            var own = new OwnSecrets(listener -> check.mint(client, listener), clock);
            return new EnvoyStream(feed.get(), own, config.streams(), clock);
        }
        feed.ifPresent(feeds::left);
        if (feed.isPresent() && (first.equals(XdsType.CLUSTER) || first.equals(XdsType.LISTENER))) {
            throw StreamRejection.invalid(
                    "Envoys are served with the delta protocol only; set api_type DELTA_GRPC in the bootstrap");
        }
        return switch (protocol) {
            case DELTA -> new DeltaStream(client, store, config.streams(), clock);
            case STATE_OF_THE_WORLD -> new SotwStream(store, config.streams(), clock);
        };
    }

    Acknowledgements acknowledgements() {
        return acknowledgements;
    }

    /// What node proxies are fed from.
    ResourceStore store() {
        return store;
    }

    ProxyFeeds feeds() {
        return feeds;
    }

    /// The least time between two pushes of changes to an Envoy.
    Duration pause() {
        return config.pacing().longest();
    }

    void left(AdsCall call) {
        calls.remove(call);
    }

    long nextStream() {
        return streams.incrementAndGet();
    }

    void schedule(Runnable task, Duration delay) {
        try {
            var _ = timer.schedule(() -> workers.execute(task), nanos(delay), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // Closing: every stream ends anyway.
        }
    }

    ExecutorService workers() {
        return workers;
    }

    StreamTable table() {
        return table;
    }

    DebugAnswers debug() {
        return debug;
    }

    SendBudget budget() {
        return budget;
    }

    XdsObserver observer() {
        return observer;
    }

    InstantSource clock() {
        return clock;
    }

    Duration writeTimeout() {
        return config.limits().writeTimeout();
    }

    /// Ends the streams of clients that would not be admitted any more.
    void recheck() {
        calls.forEach(AdsCall::recheck);
    }

    /// Tells every client to go elsewhere.
    void closeStreams() {
        calls.forEach(call -> call.close(Status.UNAVAILABLE.withDescription("server is shutting down")));
    }

    @Override
    public void close() {
        lanes.close();
        timer.shutdownNow();
        workers.shutdown();
    }

    private static long nanos(Duration duration) {
        return Math.max(0, duration.toNanos() + TimeUnit.MICROSECONDS.toNanos(100));
    }
}
