// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.fleet.agent.AgentStatus.AgentPhase;
import io.fathom.fleet.agent.AgentStore.FleetMember;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.fleet.OriginView;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.ca.RenewalPlanner;
import io.fathom.wire.fleet.FleetClient;
import io.fathom.wire.fleet.FleetLink;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.trust.TrustBundleManifest;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agent of one cluster. Everything happens on one thread of its own, which calls and files may block; what comes
/// meanwhile waits its turn. The server is needed to learn something new, for nothing else.
public final class FleetAgent implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FleetAgent.class);
    private static final Duration SHORTEST_WAIT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(2);
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration RECHECK = Duration.ofSeconds(2);

    private final AgentConfig config;
    private final String uid;
    private final AgentStore store;
    private final FleetEnrolment enrolment;
    private final FleetClient client;
    private final GatewayOutput output;
    private final LocalControlPlane plane;
    private final Timeline timeline;
    private final SplittableRandom random = new SplittableRandom();
    private final Backoff backoff = new Backoff(SHORTEST_WAIT, LONGEST_WAIT, random);
    private final Backoff renewalBackoff = new Backoff(Duration.ofSeconds(10), Duration.ofMinutes(10), random);
    private final String instance = UUID.randomUUID().toString();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("fleet-agent").factory());
    private final CompletableFuture<Problem> refused = new CompletableFuture<>();
    private volatile AgentStatus status;
    private volatile boolean closed;

    // Confined to the thread.
    private final Map<ObjectKey, GatewayManifest> gateways = new HashMap<>();
    private final Map<ObjectKey, TrustBundleManifest> bundles = new HashMap<>();
    private final TrustWriter trust;
    private List<TrustRoot> roots = List.of();
    private final PeerBook book;
    private NodeReach reach = NodeReach.NONE;
    private final ServiceExchange exchange;
    private final ReachReporter reachReporter = new ReachReporter();
    private Optional<FleetMember> member;
    private LocalGateway local = new LocalGateway(Optional.empty(), List.of());
    private boolean synced;
    private boolean left;
    private int attempts;
    private FactVersion gatewaysAt = FactVersion.NONE;
    private Optional<List<GatewayFact>> told = Optional.empty();
    private Optional<Instant> heard = Optional.empty();
    private Optional<Problem> trouble = Optional.empty();
    private Optional<Problem> writing = Optional.empty();
    private List<Problem> rejections = List.of();
    private Set<String> withheld = Set.of();
    private @Nullable Attempt attempt;
    private boolean welcome;

    private FleetAgent(
            AgentConfig config, GatewayOutput output, LocalControlPlane plane, Timeline timeline, EventLoop loop) {
        this.config = config;
        this.output = output;
        this.trust = new TrustWriter(output, config.gateways().systemNamespace());
        this.plane = plane;
        this.timeline = timeline;
        this.store = new AgentStore(config.state(), config.cache());
        this.uid = config.uid().orElseGet(store::madeUpUid);
        this.client = new FleetClient(loop, timeline);
        this.enrolment = new FleetEnrolment(config, uid, store, client);
        this.member = enrolment.kept();
        this.book = store.peers();
        this.exchange = new ServiceExchange(store, plane, config.interest());
        this.status = describe();
    }

    /// Begins as soon as it has been given the Gateways that are there.
    ///
    /// @param plane gets to know what other clusters export; closed with the agent
    /// @throws ProblemException when it is no member and has no token
    public static FleetAgent start(
            AgentConfig config, GatewayOutput output, LocalControlPlane plane, Timeline timeline, EventLoop loop) {
        var agent = new FleetAgent(config, output, plane, timeline, loop);
        plane.follow(change -> agent.run(() -> agent.exchange.exported(change, timeline.instant())), agent::knownViews);
        agent.run(() -> agent.exchange.peers(agent.book.peers()));
        agent.tickLater();
        agent.recheckLater();
        return agent;
    }

    public AgentStatus status() {
        return status;
    }

    /// Done when the server does not let the cluster join, and why.
    public CompletionStage<Problem> refused() {
        return refused;
    }

    /// Takes in what the source of manifests has found; the first time it is all there is.
    public void changed(List<ManifestChange> changes) {
        run(() -> {
            for (var change : changes) {
                switch (change) {
                    case ManifestChange.Put(var manifest) -> {
                        if (manifest instanceof GatewayManifest gateway) {
                            gateways.put(gateway.key(), gateway);
                        } else if (manifest instanceof TrustBundleManifest bundle) {
                            bundles.put(bundle.key(), bundle);
                        }
                    }
                    case ManifestChange.Remove(var kind, var key) -> {
                        if (kind == GatewayManifest.class) {
                            gateways.remove(key);
                        } else if (kind == TrustBundleManifest.class) {
                            bundles.remove(key);
                        }
                    }
                    case ManifestChange.Absent _ -> {}
                }
            }
            look();
            var isFirst = !synced;
            synced = true;
            tell();
            write();
            if (isFirst) {
                connect();
                planRenewal();
            }
        });
    }

    /// How gateways are reached from outside. Any thread.
    public void reachable(NodeReach now) {
        run(() -> {
            reach = now;
            if (synced) {
                look();
                tell();
                write();
            }
        });
    }

    /// What may vouch for identities of this cluster: old and new ones while it changes them. Any thread.
    public void roots(List<TrustRoot> now) {
        run(() -> {
            roots = List.copyOf(now);
            tell();
        });
    }

    private void look() {
        var seen = gateways.values().stream().map(reach::outside).toList();
        local = LocalGateway.find(config.cluster(), seen, config.gateways());
    }

    private Collection<OriginView> knownViews() {
        var known = new CompletableFuture<Collection<OriginView>>();
        run(() -> known.complete(exchange.known()));
        return known.completeOnTimeout(List.of(), 10, TimeUnit.SECONDS).join(); // an agent that ends does not answer
    }

    private void tickLater() {
        later(TICK, () -> {
            exchange.tick(timeline.instant());
            tell();
            tellReach();
            tickLater();
        });
    }

    private void tellReach() {
        var found = plane.reach();
        if (attempt == null || !welcome || found.isEmpty()) {
            return;
        }
        var link = attempt.link;
        if (link != null) {
            reachReporter.due(found.get(), book.peers(), timeline.instant()).forEach(link::send);
        }
    }

    private void recheckLater() {
        later(RECHECK, () -> {
            if (synced) {
                write();
            }
            recheckLater();
        });
    }

    /// Sees to it that what should be there is there.
    private void write() {
        writeGateways();
        if (synced) {
            var domain = local.fact()
                    .map(GatewayFact::trustDomain)
                    .orElse(config.gateways().trustDomain());
            trust.write(domain, book, left, bundles.values(), timeline.instant());
        }
    }

    private void writeGateways() {
        try {
            var manifests = gateways.values().stream()
                    .sorted(Comparator.comparing(GatewayManifest::key))
                    .toList();
            var existing = output.existing(manifests);
            var namespace = config.gateways().namespace();
            var own = member.flatMap(it ->
                    local.fact().map(fact -> new FleetPeer(it.membership().handle(), config.cluster(), uid, fact)));
            var plan = left
                    ? PeerPlan.farewell(existing)
                    : PeerPlan.of(
                            namespace,
                            new PeerPlan.Knowledge(
                                    own,
                                    uid,
                                    book.peers(),
                                    book.withdrawn(),
                                    config.gateways().services()),
                            existing);
            withheld = plan.withheld();
            for (var gateway : plan.puts()) {
                if (output.put(gateway)) {
                    log.atInfo().addKeyValue("gateway", gateway.name()).log("gateway written");
                }
            }
            for (var gateway : plan.removals()) {
                output.remove(gateway);
                log.atInfo().addKeyValue("gateway", gateway.name()).log("gateway removed");
            }
            writing = Optional.empty();
        } catch (ProblemException e) {
            report(writing, e.problem());
            writing = Optional.of(e.problem());
        }
    }

    private static void report(Optional<Problem> before, Problem now) {
        if (!before.map(Problem::code).equals(Optional.of(now.code()))) {
            log.atWarn()
                    .addKeyValue("code", now.code())
                    .addKeyValue("problem", now)
                    .log("the fleet cannot be followed");
        }
    }

    /// One attempt to be connected, with the next server of the list.
    private void connect() {
        if (left || attempt != null) {
            return;
        }
        var server = config.servers().get(attempts++ % config.servers().size());
        try {
            if (member.isEmpty()) {
                var joined = enrolment.join(server, networks());
                member = Optional.of(joined);
                log.atInfo()
                        .addKeyValue("fleet", joined.membership().fleet())
                        .addKeyValue("cluster", config.cluster())
                        .log("joined");
                planRenewal();
                write();
            }
        } catch (ProblemException e) {
            if (e.problem().retry() == Problem.Retry.POINTLESS) {
                refused.complete(e.problem());
            }
            failed(Optional.of(e.problem()));
            return;
        }
        var current = member.orElseThrow();
        var expired = enrolment.expired(current, timeline.instant());
        if (expired.isPresent()) {
            failed(expired);
            return;
        }
        var next = new Attempt();
        attempt = next;
        welcome = false;
        next.link = client.open(server, current.membership(), FleetEnrolment.identity(current), next);
        next.link.send(exchange.hello(instance, config.software(), uid));
    }

    /// What the gateway says, else what the agent was told; nothing if neither does, and the first fact binds it.
    private List<String> networks() {
        return local.fact().map(GatewayFact::network).or(() -> config.gateways().network()).stream()
                .toList();
    }

    private void failed(Optional<Problem> problem) {
        attempt = null;
        welcome = false;
        told = Optional.empty();
        exchange.disconnected();
        problem.ifPresent(it -> report(trouble, it));
        trouble = problem.or(() -> trouble);
        later(backoff.next(), this::connect);
    }

    /// What others are to know of this cluster.
    private Optional<GatewayFact> said() {
        return local.fact().map(fact -> fact.vouchedFor(roots).signedBy(plane.issuers()));
    }

    /// Says what is different from what was said last on this stream.
    private void tell() {
        var facts = said().stream().toList();
        if (attempt == null || attempt.link == null || !welcome || told.equals(Optional.of(facts))) {
            return;
        }
        told = Optional.of(facts);
        gatewaysAt = exchange.nextVersion();
        attempt.link.send(new FleetUp.Gateways(facts, gatewaysAt));
    }

    private void received(FleetDown message) {
        heard = Optional.of(timeline.instant());
        switch (message) {
            case FleetDown.Welcome said -> {
                welcome = true;
                reachReporter.connected();
                trouble = Optional.empty();
                backoff.reset();
                log.atInfo().log("connected");
                Optional.ofNullable(attempt)
                        .map(it -> it.link)
                        .ifPresent(link -> exchange.connected(said, link::send, timeline.instant()));
                tell();
            }
            case FleetDown.Peers peers -> {
                if (book.take(peers)) {
                    store.keep(book.peers(), book.withdrawn());
                    exchange.peers(book.peers());
                    write();
                }
            }
            case FleetDown.Receipt(var version, var rejected) -> {
                exchange.take(message, timeline.instant());
                if (!version.equals(gatewaysAt)) {
                    rejected.forEach(one -> report(
                            Optional.empty(),
                            Problem.ofInput(
                                    one.code(),
                                    "the server does not accept service " + one.id() + ": " + one.reason(),
                                    "correct the Service, or what the fleet allows")));
                    break;
                }
                rejections = rejected.stream()
                        .map(one -> Problem.ofInput(
                                one.code(),
                                "the server does not accept " + one.id() + ": " + one.reason(),
                                "correct the Gateway, or what the cluster is registered with"))
                        .toList();
                rejections.forEach(problem -> report(Optional.empty(), problem));
            }
            case FleetDown.Revoked(var reason) -> {
                left = true;
                member.ifPresent(it -> store.keep(it.left()));
                member = Optional.empty();
                log.atWarn().addKeyValue("reason", reason).log("left the fleet");
                write();
                exchange.forgetAll(timeline.instant());
                var none = new PeerBook();
                store.keep(none.peers(), none.withdrawn());
            }
            case FleetDown.Views _,
                    FleetDown.Weights _,
                    FleetDown.Unsettled _,
                    FleetDown.Settled _,
                    FleetDown.Complete _,
                    FleetDown.RepairBegin _,
                    FleetDown.RepairEnd _,
                    FleetDown.ResendExports _,
                    FleetDown.SlowDown _,
                    FleetDown.Digests _,
                    FleetDown.PortConflict _ -> exchange.take(message, timeline.instant());
        }
    }

    private void planRenewal() {
        member.ifPresent(it -> {
            var leaf = it.membership().chain().getFirst();
            var time = RenewalPlanner.renewal(
                    leaf.getNotBefore().toInstant(), leaf.getNotAfter().toInstant(), random.nextDouble());
            var wait = Duration.between(timeline.instant(), time);
            later(wait.isNegative() ? Duration.ZERO : wait, this::renew);
        });
    }

    private void renew() {
        if (left || member.isEmpty()) {
            return;
        }
        try {
            var server = config.servers().get(attempts % config.servers().size());
            member = Optional.of(enrolment.renew(server, member.get()));
            renewalBackoff.reset();
            log.atInfo().log("certificate renewed");
            planRenewal();
        } catch (ProblemException e) {
            report(Optional.empty(), e.problem());
            later(renewalBackoff.next(), this::renew);
        }
    }

    private void later(Duration wait, Runnable task) {
        var _ = timeline.at(timeline.instant().plus(wait), () -> run(task));
    }

    private void run(Runnable task) {
        try {
            thread.execute(() -> {
                if (closed) {
                    return;
                }
                try {
                    task.run();
                } catch (RuntimeException e) {
                    log.atError().setCause(e).log("the agent failed because of a bug");
                }
                status = describe();
            });
        } catch (RejectedExecutionException _) {
            // it was closed
        }
    }

    private AgentStatus describe() {
        var problems = new ArrayList<>(local.problems());
        trouble.ifPresent(problems::add);
        writing.ifPresent(problems::add);
        trust.problem().ifPresent(problems::add);
        problems.addAll(rejections);
        problems.addAll(plane.problems());
        var phase = left
                ? AgentPhase.LEFT
                : member.isEmpty() ? AgentPhase.JOINING : welcome ? AgentPhase.CONNECTED : AgentPhase.DISCONNECTED;
        return new AgentStatus(
                config.cluster(), uid, phase, heard, said(), List.copyOf(book.peers()), withheld, problems);
    }

    @Override
    public void close() {
        closed = true;
        plane.close();
        try {
            thread.execute(() -> {
                exchange.keep(timeline.instant());
                if (attempt != null && attempt.link != null) {
                    attempt.link.close();
                }
            });
        } catch (RejectedExecutionException _) {
            // it was closed before
        }
        thread.close();
    }

    /// One stream.
    private final class Attempt implements FleetLink.LinkListener<FleetDown> {
        private @Nullable FleetLink<FleetDown> link;

        @Override
        public void received(FleetDown message) {
            run(() -> {
                if (equals(attempt)) {
                    FleetAgent.this.received(message);
                }
            });
        }

        @Override
        public void ended(Optional<Problem> problem) {
            run(() -> {
                if (equals(attempt)) {
                    failed(problem);
                }
            });
        }
    }
}
