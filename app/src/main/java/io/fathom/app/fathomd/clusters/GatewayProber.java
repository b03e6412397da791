// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.base.flow.Change;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.reach.ProbeFinding;
import io.fathom.control.reach.ProbeJudge;
import io.fathom.control.reach.ProbeState;
import io.fathom.control.reach.ProbeState.Usage;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.peering.GatewayReach;
import io.fathom.model.peering.Reachability;
import io.fathom.wire.hbone.GatewayHandshake;
import io.fathom.wire.hbone.GatewayHandshake.HandshakeResult;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.pki.IssuerKey;
import io.fathom.wire.pki.TlsIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Shakes hands with each address of each gateway of other networks again and again, and tells the mesh which of them
/// cannot be used. Verdicts outlive the program. All decisions are made on one thread; any thread may ask.
public final class GatewayProber implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(GatewayProber.class);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /// What probes need.
    ///
    /// @param identity what we show and trust now
    public record ProbeSettings(
            GatewayHandshake handshake, Supplier<TlsIdentity> identity, Timeline timeline, ReachMemory memory) {}

    private final AmbientMesh mesh;
    private final ProbeTargets targets;
    private final ProbeSettings settings;
    private final RandomGenerator random = RandomGenerator.getDefault();
    private final ExecutorService executor = Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("gateways").factory());
    private final Parts parts = new Parts(Parts.Order.FIRST_FIRST);
    private final Map<String, Watch> watches = new ConcurrentSkipListMap<>();
    private final Map<String, ProbeState> remembered;
    private final Set<GatewayAddress> users = new HashSet<>();
    private final AtomicBoolean asked = new AtomicBoolean();

    /// One target: what is known of it, and when it is asked next.
    private static final class Watch {
        private volatile ProbeTarget target;
        private volatile ProbeState state;
        private Usage usage = Usage.IDLE;
        /// Who answered last and could not be told from others: for when more is known of clusters.
        private Optional<ProbeJudge.Answer> unproven = Optional.empty();
        private Timeline.Appointment next = () -> {};
        private boolean gone;

        Watch(ProbeTarget target, ProbeState state) {
            this.target = target;
            this.state = state;
        }
    }

    private GatewayProber(AmbientMesh mesh, String cluster, ProbeSettings settings) {
        this.mesh = mesh;
        this.settings = settings;
        targets = new ProbeTargets(mesh, cluster);
        remembered = new TreeMap<>(settings.memory().read());
    }

    /// Begins at once.
    ///
    /// @param cluster ours
    public static GatewayProber follow(AmbientMesh mesh, String cluster, ProbeSettings settings) {
        var prober = new GatewayProber(mesh, cluster, settings);
        prober.parts.keep(mesh.subscribe(commit -> {
            if (!commit.changes(mesh.networkGateways()).isEmpty()
                    || !commit.changes(mesh.peerGateways()).isEmpty()
                    || !commit.changes(mesh.gatewayVerdicts().names()).isEmpty()
                    || !commit.changes(mesh.peers().clusters()).isEmpty()
                    || commit.changes(mesh.foldedWorkloads()).stream()
                            .anyMatch(change -> !(change instanceof Change.Updated<?, ?>))) {
                prober.ask();
            }
        }));
        prober.ask();
        return prober;
    }

    /// What changed meanwhile is looked at in one go.
    private void ask() {
        if (asked.compareAndSet(false, true)) {
            run(this::review);
        }
    }

    private void review() {
        asked.set(false);
        users.clear();
        mesh.cut()
                .of(mesh.foldedWorkloads())
                .forEach((_, found) -> users.add(found.way().dialled()));
        var wanted = targets.now();
        var gone = new HashSet<String>();
        watches.forEach((key, watch) -> {
            if (!wanted.containsKey(key)) {
                watch.gone = true;
                watch.next.close();
                gone.add(key);
            }
        });
        watches.keySet().removeAll(gone);
        if (!gone.isEmpty()) {
            mesh.gatewayVerdicts().judged(Map.of(), gone);
        }
        var known = new HashMap<String, Reachability>();
        wanted.forEach((key, target) -> {
            var watch = watches.get(key);
            if (watch == null) {
                var before = Optional.ofNullable(remembered.remove(key));
                watch = new Watch(target, before.orElseGet(() -> ProbeState.unknown(now())));
                watches.put(key, watch);
                before.ifPresent(state -> known.put(key, state.verdict()));
                watch.usage = usage(target);
                probe(watch);
            } else {
                var other = !watch.target.equals(target);
                watch.target = target;
                var before = watch.usage;
                watch.usage = usage(target);
                if (other || (before == Usage.IDLE && watch.usage == Usage.IN_USE)) {
                    watch.next.close();
                    probe(watch);
                }
            }
        });
        if (!known.isEmpty()) {
            mesh.gatewayVerdicts().judged(known, Set.of());
        }
        judgeAgain();
    }

    /// What answered may be told from others by now, without another handshake.
    private void judgeAgain() {
        if (watches.values().stream().allMatch(watch -> watch.unproven.isEmpty())) {
            return;
        }
        var judge = targets.judge(settings.identity().get());
        watches.values()
                .forEach(watch -> watch.unproven.ifPresent(answer -> {
                    var finding = judge(judge, watch.target, answer);
                    if (!(finding instanceof ProbeFinding.Unproven)) {
                        watch.next.close();
                        found(watch, watch.target, new Judged(finding, Optional.empty()), now());
                    }
                }));
    }

    private Usage usage(ProbeTarget target) {
        return users.contains(target.gateway().dialled()) ? Usage.IN_USE : Usage.IDLE;
    }

    private void probe(Watch watch) {
        var begun = now();
        var target = watch.target;
        var own = settings.identity().get();
        var _ = settings.handshake()
                .shake(target.address(), own, PATIENCE)
                .thenAccept(result -> run(() -> found(watch, target, judge(target, own, result), begun)));
    }

    /// What a probe found.
    ///
    /// @param unproven who answered, if that is not known
    private record Judged(ProbeFinding finding, Optional<ProbeJudge.Answer> unproven) {}

    private Judged judge(ProbeTarget target, TlsIdentity own, HandshakeResult result) {
        return switch (result) {
            case HandshakeResult.Failed(var code, var reason) ->
                new Judged(new ProbeFinding.Failed("", code, reason), Optional.empty());
            case HandshakeResult.Answered(var peer, var took) -> {
                var answer = new ProbeJudge.Answer(peer.identities(), IssuerKey.of(peer.chain(), own.roots()), took);
                var finding = judge(targets.judge(own), target, answer);
                yield new Judged(finding, Optional.of(answer).filter(_ -> finding instanceof ProbeFinding.Unproven));
            }
        };
    }

    private static ProbeFinding judge(ProbeJudge judge, ProbeTarget target, ProbeJudge.Answer answer) {
        return judge.judge(
                target.cluster(), target.expected(), target.address().ip().toString(), answer);
    }

    private void found(Watch watch, ProbeTarget asked, Judged judged, Instant begun) {
        if (watch.gone || !watch.target.equals(asked)) {
            return;
        }
        var finding = judged.finding();
        watch.unproven = judged.unproven();
        var before = watch.state;
        var state = before.after(finding, now());
        watch.state = state;
        var due = begun.plus(state.pause(watch.usage, random.nextDouble()));
        watch.next = settings.timeline()
                .at(
                        due,
                        () -> run(() -> {
                            if (!watch.gone) {
                                probe(watch);
                            }
                        }));
        if (state.verdict() != before.verdict()) {
            log.atInfo()
                    .addKeyValue("gateway", asked.key())
                    .addKeyValue("cluster", asked.cluster())
                    .addKeyValue("verdict", state.verdict())
                    .log("gateway of another network");
            if (state.verdict().compareTo(Reachability.SUSPECT) >= 0) {
                mesh.gatewayVerdicts().judged(Map.of(asked.key(), state.verdict()), Set.of());
            } else {
                mesh.gatewayVerdicts().judged(Map.of(), Set.of(asked.key()));
            }
            remember();
        }
    }

    private void remember() {
        var states = new HashMap<>(remembered); // what no Gateway names at the moment may be named again
        watches.forEach((key, watch) -> states.put(key, watch.state));
        settings.memory().write(states);
    }

    /// How each address is reached, by Gateway.
    public List<GatewayReach> reach() {
        return watches.values().stream()
                .map(watch -> ReachText.of(watch.target, watch.state))
                .toList();
    }

    public List<ManifestProblem> problems() {
        return reach().stream().flatMap(row -> ReachText.problem(row).stream()).toList();
    }

    private Instant now() {
        return settings.timeline().instant();
    }

    private void run(Runnable task) {
        try {
            executor.execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException e) {
                    log.atError().setCause(e).log("a gateway could not be judged");
                }
            });
        } catch (RejectedExecutionException _) {
            // closed
        }
    }

    @Override
    public void close() {
        parts.close();
        executor.shutdown();
        watches.values().forEach(watch -> watch.next.close());
    }
}
