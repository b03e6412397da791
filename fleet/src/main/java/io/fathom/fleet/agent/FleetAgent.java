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
import io.fathom.wire.ca.RenewalPlanner;
import io.fathom.wire.fleet.FleetClient;
import io.fathom.wire.fleet.FleetLink;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agent of one cluster. Everything happens on one thread of its own, which calls and files may block; what comes
/// meanwhile waits its turn. The server is needed to learn something new, for nothing else.
public final class FleetAgent implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FleetAgent.class);
    private static final Duration SHORTEST_WAIT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(2);
    private static final Duration RECHECK = Duration.ofSeconds(2);

    private final AgentConfig config;
    private final String uid;
    private final AgentStore store;
    private final FleetEnrolment enrolment;
    private final FleetClient client;
    private final GatewayOutput output;
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
    private final PeerBook book;
    private Optional<FleetMember> member;
    private LocalGateway local = new LocalGateway(Optional.empty(), List.of());
    private boolean synced;
    private boolean left;
    private int attempts;
    private FactVersion version = FactVersion.NONE;
    private Optional<List<GatewayFact>> told = Optional.empty();
    private Optional<Instant> heard = Optional.empty();
    private Optional<Problem> trouble = Optional.empty();
    private Optional<Problem> writing = Optional.empty();
    private List<Problem> rejections = List.of();
    private Set<String> withheld = Set.of();
    private @Nullable Attempt attempt;
    private boolean welcome;

    private FleetAgent(AgentConfig config, GatewayOutput output, Timeline timeline, EventLoop loop) {
        this.config = config;
        this.output = output;
        this.timeline = timeline;
        this.store = new AgentStore(config.folder());
        this.uid = config.uid().orElseGet(store::madeUpUid);
        this.client = new FleetClient(loop, timeline);
        this.enrolment = new FleetEnrolment(config, uid, store, client);
        this.member = enrolment.kept();
        this.book = store.peers();
        this.status = describe();
    }

    /// Begins as soon as it has been given the Gateways that are there.
    ///
    /// @throws ProblemException when it is no member and has no token
    public static FleetAgent start(AgentConfig config, GatewayOutput output, Timeline timeline, EventLoop loop) {
        var agent = new FleetAgent(config, output, timeline, loop);
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
                        }
                    }
                    case ManifestChange.Remove(var kind, var key) -> {
                        if (kind == GatewayManifest.class) {
                            gateways.remove(key);
                        }
                    }
                    case ManifestChange.Absent _ -> {}
                }
            }
            local = LocalGateway.find(config.cluster(), gateways.values(), config.gateways());
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
                            namespace, new PeerPlan.Knowledge(own, uid, book.peers(), book.withdrawn()), existing);
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
        var next = new Attempt();
        attempt = next;
        welcome = false;
        next.link = client.open(server, current.membership(), FleetEnrolment.identity(current), next);
        next.link.send(new FleetUp.Hello(instance, config.software(), uid));
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
        problem.ifPresent(it -> report(trouble, it));
        trouble = problem.or(() -> trouble);
        later(backoff.next(), this::connect);
    }

    /// Says what is different from what was said last on this stream.
    private void tell() {
        var facts = local.fact().stream().toList();
        if (attempt == null || attempt.link == null || !welcome || told.equals(Optional.of(facts))) {
            return;
        }
        version = version.next();
        told = Optional.of(facts);
        attempt.link.send(new FleetUp.Gateways(facts, version));
    }

    private void received(FleetDown message) {
        heard = Optional.of(timeline.instant());
        switch (message) {
            case FleetDown.Welcome(var _, var last) -> {
                version = last.nextIncarnation();
                welcome = true;
                trouble = Optional.empty();
                backoff.reset();
                log.atInfo().log("connected");
                tell();
            }
            case FleetDown.Peers peers -> {
                if (book.take(peers)) {
                    store.keep(book.peers(), book.withdrawn());
                    write();
                }
            }
            case FleetDown.Complete() -> {}
            case FleetDown.Receipt(var _, var rejected) -> {
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
                var none = new PeerBook();
                store.keep(none.peers(), none.withdrawn());
            }
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
        problems.addAll(rejections);
        var phase = left
                ? AgentPhase.LEFT
                : member.isEmpty() ? AgentPhase.JOINING : welcome ? AgentPhase.CONNECTED : AgentPhase.DISCONNECTED;
        return new AgentStatus(
                config.cluster(), uid, phase, heard, local.fact(), List.copyOf(book.peers()), withheld, problems);
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.execute(() -> {
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
    private final class Attempt implements FleetLink.LinkListener {
        private @Nullable FleetLink link;

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
