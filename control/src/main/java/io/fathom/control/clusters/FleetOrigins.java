// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.clusters;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ambient.peer.PeerSources;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.FeedDown;
import io.fathom.model.peering.FeedUp;
import io.fathom.model.peering.GatewayReach;
import io.fathom.model.peering.ReachChange;
import io.fathom.model.peering.ReachChange.ReachExtent;
import io.fathom.model.peering.ReachChange.ReachRow;
import io.fathom.wire.auth.Admission;
import io.fathom.wire.auth.Credentials;
import io.fathom.wire.peering.FeedHandler;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The clusters that a fleet speaks for: what its agent tells of them becomes the same rows as what their control
/// planes would tell. What is known stays while the agent is away. Any thread; messages are taken in one at a time.
public final class FleetOrigins implements FeedHandler {
    private static final Logger log = LoggerFactory.getLogger(FleetOrigins.class);
    private static final FeedUp.Freshness FRESH = new FeedUp.Freshness(Optional.empty(), Map.of());

    /// What this control plane is, and what it knows of other clusters otherwise.
    ///
    /// @param cluster ours
    /// @param admission who may speak
    /// @param isJoined whether the objects of a cluster are read, so that nobody else speaks for it
    /// @param hasGateway whether a Gateway stands for a cluster
    /// @param reach how the gateways of other clusters are reached, which the agent is told
    public record FleetSettings(
            String cluster,
            String software,
            Function<Credentials, Admission<String>> admission,
            Predicate<String> isJoined,
            Predicate<String> hasGateway,
            Supplier<List<GatewayReach>> reach,
            InstantSource clock) {}

    /// Clusters that are asked by ourselves.
    @FunctionalInterface
    public interface DirectPeers {
        /// From now on somebody else speaks for a cluster: nothing comes of it any more after this has returned, and
        /// what is known stays.
        void release(String cluster);
    }

    private final FleetSettings settings;
    private final PeerSources sources;
    /// Guards what is written below.
    private final ReentrantLock intake = new ReentrantLock();
    private final AtomicBoolean due = new AtomicBoolean();

    private final Map<String, FleetOrigin> origins = new ConcurrentSkipListMap<>();
    private final Set<String> unheeded = new HashSet<>();
    private volatile @Nullable Session current;
    private volatile Optional<Instant> heard = Optional.empty();
    private volatile FeedUp.Freshness freshness = FRESH;
    private volatile DirectPeers direct = _ -> {};

    public FleetOrigins(FleetSettings settings, PeerSources sources) {
        this.settings = settings;
        this.sources = sources;
    }

    /// Who asks clusters itself; told before the first stream.
    public void relieve(DirectPeers others) {
        direct = others;
    }

    /// Whether the fleet speaks for that cluster.
    public boolean speaksFor(String cluster) {
        return origins.containsKey(cluster);
    }

    /// The clusters that the fleet speaks for.
    public Set<String> clusters() {
        return Set.copyOf(origins.keySet());
    }

    @Override
    public Admission<String> admit(Credentials credentials) {
        return settings.admission().apply(credentials);
    }

    @Override
    public FeedSession open(String caller, FeedOutlet outlet) {
        return new Session(caller, outlet);
    }

    /// Other clusters are read now, or are not any more. Does not wait for what is taken in at the moment.
    public void review() {
        due.set(true);
        reviewIfDue();
    }

    private void reviewIfDue() {
        while (due.get() && intake.tryLock()) {
            try {
                if (due.compareAndSet(true, false)) {
                    compare();
                }
            } finally {
                intake.unlock();
            }
        }
    }

    private void compare() {
        for (var cluster : clusters()) {
            if (settings.isJoined().test(cluster)) {
                forget(cluster);
                unheeded.add(cluster);
            }
        }
        var session = current;
        if (session != null && !unheeded.stream().allMatch(settings.isJoined())) {
            session.outlet.end(problem(
                    "feed-begins-anew", "clusters that were read are not read any more", "nothing: it comes again"));
        }
    }

    private void forget(String cluster) {
        if (origins.remove(cluster) != null) {
            sources.remove(cluster);
        }
    }

    /// How it goes with each.
    public List<ClusterReport> reports() {
        var reports = new ArrayList<ClusterReport>();
        var trouble = trouble();
        origins.forEach((cluster, origin) -> reports.add(new ClusterReport(
                cluster,
                "Fleet",
                origin.isComplete() ? SyncState.SYNCED : SyncState.SYNCING,
                sources.cluster(cluster).map(ClusterSummary::network).orElse(""),
                age(cluster),
                Map.of("ServiceSummary", sources.count(cluster)),
                trouble)));
        return reports;
    }

    /// What the agent said last, and how long ago.
    private Duration age(String cluster) {
        var said = freshness;
        var age = said.clusters().getOrDefault(cluster, said.server().orElse(Duration.ZERO));
        return current == null ? age.plus(sinceHeard()) : age;
    }

    private Duration sinceHeard() {
        return heard.map(then -> Duration.between(then, settings.clock().instant()))
                .orElse(Duration.ZERO);
    }

    /// Why nothing new is learnt from the fleet; nothing if it is.
    public Optional<Problem> trouble() {
        if (current == null) {
            return Optional.of(problem(
                    "fleet-agent-away",
                    "the agent of the fleet is not connected" + (heard.isEmpty() ? "" : " any more"),
                    "see that fathom-agent runs in this cluster and that its setting --control-plane leads here"));
        }
        return freshness
                .server()
                .map(_ -> problem(
                        "fleet-server-away",
                        "the agent of the fleet does not reach its management server",
                        "see the problems at /debug/agentz of fathom-agent; what is known goes on to be served"));
    }

    private static Problem problem(String code, String message, String fix) {
        return new Problem(code, message, fix, Problem.Origin.SERVER, Problem.Retry.SENSIBLE);
    }

    private final class Session implements FeedSession {
        private final String caller;
        private final FeedOutlet outlet;
        private final Set<String> told = new HashSet<>();
        private final Map<ReachRow, GatewayReach> toldReach = new HashMap<>();
        private ReachExtent reachExtent = ReachExtent.ALL;

        Session(String caller, FeedOutlet outlet) {
            this.caller = caller;
            this.outlet = outlet;
        }

        @Override
        public void received(FeedUp message) {
            intake.lock();
            try {
                if (message instanceof FeedUp.Hello hello) {
                    begin(hello);
                } else if (equals(current)) {
                    take(message);
                } else {
                    throw new ProblemException(Problem.ofInput(
                            "feed-without-hello", "the agent has not said who it is", "update the agent"));
                }
                heard = Optional.of(settings.clock().instant());
            } finally {
                intake.unlock();
            }
            reviewIfDue();
        }

        private void begin(FeedUp.Hello hello) {
            if (!hello.cluster().equals(settings.cluster())) {
                throw new ProblemException(Problem.ofInput(
                        "feed-of-another-cluster",
                        "the agent is that of cluster " + hello.cluster() + ", and this control plane is that of "
                                + settings.cluster(),
                        "give the agent the name that this control plane has as CLUSTER_ID: --cluster-id "
                                + settings.cluster()));
            }
            var before = current;
            if (before != null) {
                before.outlet.end(problem("feed-taken-over", "another agent speaks now", "run one agent only"));
            }
            current = this;
            unheeded.clear();
            freshness = FRESH;
            outlet.send(new FeedDown.Opened(settings.software(), settings.cluster()));
            log.atInfo()
                    .addKeyValue("agent", caller)
                    .addKeyValue("instance", hello.instance())
                    .log("the fleet speaks");
        }

        private void take(FeedUp message) {
            switch (message) {
                case FeedUp.Hello _ -> {}
                case FeedUp.Origin origin -> take(origin);
                case FeedUp.Forget(var cluster) -> forget(cluster);
                case FeedUp.Settled() -> // one that is told no longer goes with its Gateway, and not before
                    clusters().stream()
                            .filter(cluster -> !told.contains(cluster)
                                    && !settings.hasGateway().test(cluster))
                            .forEach(FleetOrigins.this::forget);
                case FeedUp.Freshness ages -> {
                    freshness = ages;
                    tellReach();
                }
            }
        }

        /// Every time the agent says how old things are, which it does every few seconds.
        private void tellReach() {
            for (var part : ReachChange.between(toldReach, settings.reach().get(), reachExtent)
                    .map(ReachChange::parts)
                    .orElse(List.of())) {
                outlet.send(new FeedDown.Reach(part));
            }
            reachExtent = ReachExtent.DELTA;
        }

        private void take(FeedUp.Origin said) {
            var cluster = said.cluster();
            if (cluster.equals(settings.cluster())) {
                return;
            }
            if (settings.isJoined().test(cluster)) {
                unheeded.add(cluster);
                return;
            }
            told.add(cluster);
            var origin = origins.get(cluster);
            if (origin == null) {
                origin = new FleetOrigin();
                origins.put(cluster, origin);
                direct.release(cluster); // nobody else writes these rows after this
            }
            origin.take(cluster, said, sources);
        }

        @Override
        public void ended() {
            intake.lock();
            try {
                if (equals(current)) {
                    current = null;
                    log.atWarn().addKeyValue("agent", caller).log("the fleet is silent; what is known stays");
                }
            } finally {
                intake.unlock();
            }
        }
    }
}
