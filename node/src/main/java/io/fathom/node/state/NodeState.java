// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import io.fathom.base.lang.Timeline;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.MeshDelta;
import io.fathom.model.routing.MeshStore;
import io.fathom.model.routing.MeshView;
import io.fathom.model.trust.TrustMap;
import io.fathom.wire.pki.TrustPool;
import io.fathom.wire.xds.client.AdsClient;
import io.fathom.wire.xds.client.TypeStatus;
import io.fathom.wire.xds.client.XdsClientConfig;
import io.fathom.wire.xds.client.XdsClientObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What the node knows of the mesh. One thread of its own applies what comes, a response at a time, and publishes
/// an immutable view; any thread reads the latest one without waiting.
///
/// Futures from here are completed on that thread: go on elsewhere if you do more than a little.
public final class NodeState implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(NodeState.class);
    private static final int TOLD_NAMES = 10;
    private static final Duration IDLE = Duration.ofMinutes(10);
    private static final Duration SWEEP = Duration.ofMinutes(1);

    private final MeshStore store;
    /// What waits in it: at most one response, and requests of connections that wait for an answer anyway.
    private final ThreadPoolExecutor writer;

    private final List<StateListener> listeners = new CopyOnWriteArrayList<>();
    private final LocalArrivals arrivals;
    private final Optional<AdsClient> client;
    private final boolean onDemand;
    private final List<Runnable> trustListeners = new CopyOnWriteArrayList<>();
    private volatile MeshView view;
    private volatile Optional<TrustPool> trust = Optional.empty();

    private NodeState(NodeStateConfig config, XdsClientObserver observer, Timeline timeline) {
        this.store = new MeshStore(config.node());
        this.view = store.view();
        this.writer = new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("node-state").factory(),
                new ThreadPoolExecutor.DiscardPolicy()); // after close()
        this.arrivals = new LocalArrivals(this::view, timeline, writer);
        config.fixed().ifPresent(this::apply);
        this.onDemand = config.xds().isPresent() && config.xds().get().scope() == XdsClientConfig.Scope.ON_DEMAND;
        this.client =
                config.xds().map(xds -> AdsClient.start(xds, this::apply, this::trust, observer, timeline, writer));
        if (onDemand) {
            sweepLater(timeline);
        }
    }

    /// Begins to learn. What a file says is there at once.
    public static NodeState start(NodeStateConfig config, XdsClientObserver observer, Timeline timeline) {
        return new NodeState(config, observer, timeline);
    }

    /// The mesh as it is known now.
    public MeshView view() {
        return view;
    }

    /// Whose roots vouch for which trust domain; empty while the control plane has not said.
    public Optional<TrustPool> trust() {
        return trust;
    }

    /// Tells of each change of that, after it.
    public AutoCloseable listenToTrust(Runnable listener) {
        trustListeners.add(listener);
        return () -> trustListeners.remove(listener);
    }

    private void trust(TrustMap map) {
        var pool = Optional.of(TrustPool.of(map));
        if (!pool.equals(trust)) {
            trust = pool;
            log.atInfo().addKeyValue("domains", map.domains().keySet()).log("trust has changed");
            trustListeners.forEach(Runnable::run);
        }
    }

    /// Done once the control plane has told of everything; at once without one.
    public CompletableFuture<Void> ready() {
        return client.map(AdsClient::ready).orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    /// Tells of each change from now on, until closed.
    public AutoCloseable listen(StateListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /// As [#listen], but the listener first hears of everything that is known by now, as if it had just come.
    public AutoCloseable follow(StateListener listener) {
        writer.execute(() -> {
            listener.changed(StateReplay.of(view));
            listeners.add(listener);
        });
        return () -> writer.execute(() -> listeners.remove(listener));
    }

    /// The workload of this node that a pod says it is; empty if the control plane does not tell of it in time.
    public CompletableFuture<Optional<Workload>> awaitLocalWorkload(
            String namespace, String name, String serviceAccount, Duration timeout) {
        return arrivals.await(new LocalArrivals.Wanted(namespace, name, serviceAccount), timeout);
    }

    /// Done when the view holds whatever there is at an address: at once, unless resources come on demand.
    public CompletableFuture<AdsClient.DemandEnd> demand(String network, Ip ip) {
        return demand(network + "/" + ip);
    }

    /// The same for a `namespace/hostname` or a uid.
    public CompletableFuture<AdsClient.DemandEnd> demand(String key) {
        return onDemand
                ? client.orElseThrow().demand(key)
                : CompletableFuture.completedFuture(AdsClient.DemandEnd.ANSWERED);
    }

    /// Forgets what came on demand and was not demanded for so long, unless something else needs it. Happens by
    /// itself from time to time.
    public void forgetIdle(Duration idle) {
        client.filter(_ -> onDemand)
                .ifPresent(ads -> ads.forgetIdle(idle, (used, unused) -> NeededNames.without(view, used, unused)));
    }

    private void sweepLater(Timeline timeline) {
        timeline.at(timeline.instant().plus(SWEEP), () -> {
            if (!writer.isShutdown()) {
                forgetIdle(IDLE);
                sweepLater(timeline);
            }
        });
    }

    /// Where the node stands with its control plane, by type.
    public Map<String, TypeStatus> xdsStatuses() {
        return client.map(AdsClient::statuses).orElse(Map.of());
    }

    private void apply(MeshDelta delta) {
        var applied = store.apply(delta);
        view = applied.after();
        if (!applied.unknown().isEmpty()) {
            log.atWarn()
                    .addKeyValue("count", applied.unknown().size())
                    .addKeyValue(
                            "names",
                            applied.unknown().stream().limit(TOLD_NAMES).toList())
                    .log("what is to be removed is not known");
        }
        var change = new StateChange(applied.before(), applied.after(), delta);
        for (var listener : listeners) {
            try {
                listener.changed(change);
            } catch (RuntimeException e) {
                log.atError().setCause(e).log("a listener failed because of a bug");
            }
        }
        arrivals.look();
    }

    /// The view stays as it is.
    @Override
    public void close() {
        client.ifPresent(AdsClient::close);
        writer.shutdown();
        try {
            if (!writer.awaitTermination(2, TimeUnit.SECONDS)) {
                writer.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
