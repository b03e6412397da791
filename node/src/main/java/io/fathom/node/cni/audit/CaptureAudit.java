// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.audit;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.node.cni.enrol.EnrolEngine;
import io.fathom.node.cni.enrol.HeldPod;
import io.fathom.node.cni.enrol.PodState;
import io.fathom.node.cni.enrol.ProbeUpkeep;
import io.fathom.node.cni.enrol.Step;
import io.fathom.node.cni.netns.NamespaceView;
import io.fathom.node.cni.netns.NamespaceView.ListeningSocket;
import io.fathom.node.cni.rules.Difference;
import io.fathom.node.cni.rules.NodeRules;
import io.fathom.node.cni.zds.PodAnswer;
import io.fathom.node.cni.zds.ProxyView;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// Looks at all pods of the node, now and then and on demand, and has repaired what is not as it should be. So a pod
/// that is to be captured and is not cannot go unseen for longer than a period.
///
/// Looks at one pod after the other, on the thread that asks, one at a time. A pod that the engine is busy with is seen
/// as pending.
public final class CaptureAudit implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CaptureAudit.class);

    private final EnrolEngine engine;
    private final Tools tools;
    private final AuditObserver observer;
    private final Timeline timeline;
    private final Duration period;
    private Optional<Timeline.Appointment> next = Optional.empty();
    /// Pods that a proxy said it serves, while nobody listened in them.
    private Set<String> deaf = Set.of();

    /// What was found the last time, by pods' UIDs.
    private Map<String, Set<String>> seen = Map.of();

    private boolean closed;

    /// What the audit looks through.
    ///
    /// @param forget has all proxies let go of a pod
    public record Tools(
            NodeRules rules,
            ProbeUpkeep probes,
            NamespaceView view,
            Supplier<List<ProxyView>> proxies,
            Consumer<String> forget) {}

    public CaptureAudit(EnrolEngine engine, Tools tools, AuditObserver observer, Timeline timeline, Duration period) {
        this.engine = engine;
        this.tools = tools;
        this.observer = observer;
        this.timeline = timeline;
        this.period = period;
    }

    /// Repairs once now, and then every period.
    public void start() {
        plan(Duration.ZERO);
    }

    private synchronized void plan(Duration pause) {
        if (!closed) {
            next = Optional.of(timeline.at(timeline.instant().plus(pause), this::turn));
        }
    }

    private void turn() {
        try {
            var _ = repair();
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("the audit has a bug");
        } finally {
            plan(period);
        }
    }

    /// All pods as they are now. Changes nothing.
    public synchronized List<PodCapture> look() {
        var connected = tools.proxies().get().stream()
                .filter(proxy -> proxy.phase() == ProxyView.ProxyPhase.LIVE)
                .toList();
        var all = engine.states().stream()
                .map(state -> look(state, connected))
                .sorted(Comparator.comparing(capture -> capture.pod().toString()))
                .toList();
        var states = new EnumMap<PodCapture.CaptureState, Integer>(PodCapture.CaptureState.class);
        for (var state : PodCapture.CaptureState.values()) {
            states.put(state, 0);
        }
        all.forEach(capture -> states.merge(capture.state(), 1, Integer::sum));
        observer.looked(states);
        return all;
    }

    /// The same, and has repaired what is wrong.
    public synchronized List<PodCapture> repair() {
        repairHost();
        var all = look();
        var before = deaf;
        deaf = all.stream()
                .filter(CaptureAudit::isDeaf)
                .map(it -> it.pod().uid())
                .collect(Collectors.toSet());
        for (var capture : all) {
            if (deaf.contains(capture.pod().uid())
                    && before.contains(capture.pod().uid())) {
                tools.forget().accept(capture.pod().uid()); // being told once more was not enough
            }
            repair(capture);
        }
        seen = texts(all);
        return all;
    }

    private static boolean isDeaf(PodCapture capture) {
        return capture.findings().stream().anyMatch(finding -> finding.kind() == Finding.CaptureFault.LISTENERS);
    }

    private PodCapture look(PodState before, List<ProxyView> connected) {
        var any = connected.isEmpty() ? Judge.ConnectedProxies.NONE : Judge.ConnectedProxies.CONNECTED;
        return engine.look(before.pod().uid(), state -> Judge.judge(state, reality(state, connected), any))
                .orElseGet(() -> new PodCapture(
                        before.pod(),
                        before.verdict(),
                        before.noted(),
                        Reality.NOTHING,
                        PodCapture.CaptureState.PENDING,
                        List.of(),
                        before.problem()));
    }

    private Reality reality(PodState state, List<ProxyView> connected) {
        var held = state.held();
        var namespace = held.flatMap(HeldPod::namespace);
        Map<Integer, PodAnswer> answers = new HashMap<>();
        for (var proxy : connected) {
            Optional.ofNullable(proxy.pods().get(state.pod().uid()))
                    .ifPresent(answer -> answers.put(proxy.number(), answer));
        }
        return new Reality(
                namespace.map(it -> it.identity().inode()),
                held.filter(it -> it.step().includes(Step.RULES)).flatMap(this::differences),
                namespace.flatMap(this::listeners),
                answers);
    }

    private Optional<List<Difference>> differences(HeldPod held) {
        try {
            return held.namespace().isEmpty()
                    ? Optional.empty()
                    : Optional.of(held.namespace()
                            .get()
                            .lend(path -> tools.rules().pods().inspect(path, held.settings())));
        } catch (ProblemException | PosixException e) {
            log.atWarn().addKeyValue("pod", held.pod()).log("rules cannot be looked at: {}", e.getMessage());
            return Optional.empty();
        }
    }

    private Optional<Set<ListeningSocket>> listeners(NetworkNamespace namespace) {
        try {
            return Optional.of(tools.view().listeners(namespace));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private void repair(PodCapture capture) {
        var uid = capture.pod().uid();
        var findings = capture.findings();
        var known = seen.getOrDefault(uid, Set.of());
        for (var finding : findings) {
            var level = known.contains(finding.what()) ? Level.DEBUG : Level.WARN; // each once, not every period
            log.atLevel(level)
                    .addKeyValue("pod", capture.pod())
                    .addKeyValue("finding", finding.kind().label())
                    .log("pod is not as it should be: {}", finding.what());
        }
        var mendable = findings.stream()
                .filter(it -> it.kind() != Finding.CaptureFault.DNS)
                .toList();
        if (!mendable.isEmpty()) {
            mendable.forEach(finding -> observer.repaired(finding.kind().label()));
            mendable.stream()
                    .flatMap(finding -> finding.redo().stream())
                    .min(Comparator.naturalOrder())
                    .ifPresentOrElse(step -> engine.repair(uid, step), () -> engine.recheck(uid));
        }
    }

    private static Map<String, Set<String>> texts(List<PodCapture> all) {
        Map<String, Set<String>> texts = new HashMap<>();
        for (var capture : all) {
            if (!capture.findings().isEmpty()) {
                texts.put(
                        capture.pod().uid(),
                        capture.findings().stream().map(Finding::what).collect(Collectors.toSet()));
            }
        }
        return texts;
    }

    /// What lets probes of the node through.
    private void repairHost() {
        try {
            var differences = tools.rules().host().inspect();
            if (!differences.isEmpty()) {
                log.atWarn().log("the host's rules differ: {}", differences);
                tools.rules().host().install();
                observer.repaired("host");
            }
            for (var changes = tools.probes().sync(engine::states); changes > 0; changes--) {
                observer.repaired("probes");
            }
        } catch (ProblemException e) {
            log.atWarn().log("the host's rules cannot be put right: {}", e.problem());
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        next.ifPresent(Timeline.Appointment::close);
    }
}
