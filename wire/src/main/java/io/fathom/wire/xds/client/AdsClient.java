// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.model.routing.MeshDelta;
import io.fathom.model.trust.TrustMap;
import io.fathom.wire.dial.GrpcStream;
import io.fathom.wire.xds.client.XdsClientObserver.Termination;
import io.grpc.Status;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a mesh up to date from a control plane: connects, and when a stream ends connects again, for ever. What
/// it learnt stays while it is not connected.
///
/// Everything but the public methods runs on the executor that it is given, which must be a single thread; so do
/// the mesh's changes and the observer.
public final class AdsClient implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(AdsClient.class);
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(10);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);

    /// How a demand ended.
    public enum DemandEnd {
        /// The mesh holds it now, or there is no such thing.
        ANSWERED,
        /// The control plane has not said anything about it.
        LATE
    }

    private final XdsClientConfig config;
    private final DeltaProtocol protocol;
    private final Consumer<MeshDelta> mesh;
    private final Consumer<TrustMap> trust;
    private final XdsClientObserver observer;
    private final Timeline timeline;
    private final Executor thread;
    private final Backoff backoff = new Backoff(SHORTEST_WAIT, LONGEST_WAIT, RandomGenerator.getDefault());
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
            1, Thread.ofPlatform().daemon().name("xds").factory(), NioIoHandler.newFactory());
    private @Nullable AdsStream stream;
    private boolean closed;
    private volatile Map<String, TypeStatus> statuses = Map.of();

    private AdsClient(
            XdsClientConfig config,
            Consumer<MeshDelta> mesh,
            Consumer<TrustMap> trust,
            XdsClientObserver observer,
            Timeline timeline,
            Executor thread) {
        this.config = config;
        this.protocol = new DeltaProtocol(config.node(), config.scope());
        this.mesh = mesh;
        this.trust = trust;
        this.observer = observer;
        this.timeline = timeline;
        this.thread = thread;
    }

    /// Begins to connect.
    ///
    /// @param mesh applies what came before it returns
    /// @param thread a single one; never blocked but by `mesh`
    public static AdsClient start(
            XdsClientConfig config,
            Consumer<MeshDelta> mesh,
            XdsClientObserver observer,
            Timeline timeline,
            Executor thread) {
        return start(config, mesh, _ -> {}, observer, timeline, thread);
    }

    /// The same for somebody who verifies peers.
    ///
    /// @param trust hears whose roots vouch for which trust domain, if the control plane knows that
    public static AdsClient start(
            XdsClientConfig config,
            Consumer<MeshDelta> mesh,
            Consumer<TrustMap> trust,
            XdsClientObserver observer,
            Timeline timeline,
            Executor thread) {
        var client = new AdsClient(config, mesh, trust, observer, timeline, thread);
        thread.execute(client::connect);
        return client;
    }

    /// Done, for ever, once each type had a response with nothing to reject.
    public CompletableFuture<Void> ready() {
        return ready.copy();
    }

    /// Where it stands with each type, by URL. Any thread.
    public Map<String, TypeStatus> statuses() {
        return statuses;
    }

    /// Asks for an address that the mesh does not hold: `network/ip`, `namespace/hostname` or a uid. From then on
    /// the server keeps it up to date. For clients on demand; any thread.
    public CompletableFuture<DemandEnd> demand(String key) {
        var answer = new CompletableFuture<DemandEnd>();
        Demands.Waiter waiter = () -> answer.complete(DemandEnd.ANSWERED);
        thread.execute(() -> {
            protocol.demand(key, waiter, timeline.instant()).ifPresent(this::send);
            if (!answer.isDone()) {
                var limit = timeline.at(
                        timeline.instant().plus(config.patience()),
                        () -> thread.execute(() -> {
                            protocol.abandon(key, waiter);
                            answer.complete(DemandEnd.LATE);
                        }));
                var _ = answer.whenComplete((_, _) -> limit.close());
            }
        });
        return answer;
    }

    /// Stops following what nobody has demanded for so long and the finder does not need. For clients on demand; any
    /// thread. The finder is asked on the client's thread.
    public void forgetIdle(Duration idle, Unneeded.Finder finder) {
        thread.execute(() -> protocol.forgetIdle(timeline.instant().minus(idle), finder, mesh)
                .ifPresent(this::send));
    }

    private void send(DeltaDiscoveryRequest request) {
        if (stream != null) {
            stream.send(request);
        }
    }

    private void connect() {
        if (closed) {
            return;
        }
        try {
            stream = AdsStream.open(config.server(), protocol.open(), new Events(), loops.next(), thread);
        } catch (ProblemException e) {
            log.atWarn()
                    .addKeyValue("code", e.problem().code())
                    .addKeyValue("server", config.server())
                    .addKeyValue("reason", e.problem())
                    .log("xds client cannot connect");
            retry(Termination.CONNECTION_ERROR);
        }
    }

    private void retry(Termination reason) {
        stream = null;
        observer.terminated(reason);
        if (!closed) {
            timeline.at(timeline.instant().plus(backoff.next()), () -> thread.execute(this::connect));
        }
    }

    /// Nothing is applied after this, once what is under way is done.
    @Override
    public void close() {
        thread.execute(() -> {
            closed = true;
            if (stream != null) {
                stream.close();
            }
            var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        });
    }

    static Termination reason(Status status, GrpcStream.Progress progress) {
        if (status.isOk()) {
            return Termination.COMPLETE;
        }
        if (progress == GrpcStream.Progress.UNANSWERED && status.getCode() == Status.Code.UNAVAILABLE) {
            return Termination.CONNECTION_ERROR;
        }
        var text = String.valueOf(status.getDescription()).toLowerCase(Locale.ROOT);
        return switch (status.getCode()) {
            case UNKNOWN, CANCELLED, DEADLINE_EXCEEDED -> Termination.RECONNECT;
            case UNAVAILABLE ->
                text.contains("transport is closing") || text.contains("goaway")
                        ? Termination.RECONNECT
                        : Termination.ERROR;
            default -> Termination.ERROR;
        };
    }

    private final class Events implements AdsStream.StreamOwner {
        @Override
        public DeltaProtocol.Exchange begin() {
            return protocol.begin(mesh, trust);
        }

        @Override
        public DeltaDiscoveryRequest received(DeltaProtocol.Exchange exchange, int bytes) throws IOException {
            var receipt = exchange.finish();
            observer.received(receipt.typeUrl(), bytes);
            statuses = protocol.statuses();
            if (receipt.rejections().isEmpty()) {
                backoff.reset();
            } else {
                log.atWarn()
                        .addKeyValue("type", receipt.typeUrl())
                        .addKeyValue("rejected", receipt.rejections())
                        .log("resources of the control plane are refused");
            }
            if (protocol.isReady()) {
                ready.complete(null);
            }
            return receipt.answer();
        }

        @Override
        public void ended(AdsStream ended, Status status, GrpcStream.Progress progress) {
            if (closed || !ended.equals(stream)) {
                return;
            }
            var reason = reason(status, progress);
            log.atInfo()
                    .addKeyValue("server", config.server())
                    .addKeyValue("reason", reason.label())
                    .addKeyValue("status", status)
                    .log("xds stream ended");
            retry(reason);
        }
    }
}
