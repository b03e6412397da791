// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.work.WorkQueue;
import io.fathom.base.work.WorkSettings;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.enrol.EnrolEntry.EnrolRequest;
import io.fathom.node.cni.netns.NamespaceFinder;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.node.cni.pods.NodePods;
import io.fathom.node.cni.pods.PodChange;
import io.fathom.node.cni.pods.Redirection;
import io.fathom.node.cni.rules.CaptureSettings;
import io.fathom.node.cni.rules.PodRules;
import io.fathom.node.cni.rules.ProbeSet;
import io.fathom.wire.kube.core.PodManifest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps what is captured in step with what is wanted.
///
/// What happens to a pod only marks it to be looked at, so that any number of changes cost one look, and the queue is
/// never longer than there are pods ([WorkQueue]). A few threads look: they decide under the lock and act outside of
/// it, one at a time for each pod. What fails and may go better next time is tried again after 5 ms, then less and less
/// often, but at least every 5 s, for ever. A pod's namespace stays open until nothing in it has to be undone any more.
///
/// All methods are for any thread; none blocks but [#look] and [#close].
public final class EnrolEngine implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EnrolEngine.class);
    private static final WorkSettings WORK = new WorkSettings(
            4, Duration.ofMillis(5), Duration.ofSeconds(5), WorkSettings.FOR_EVER, Optional.empty(), Duration.ZERO);

    private final NodePods pods;
    private final Eligibility eligibility;
    private final CaptureSettings.DnsCapture dns;
    private final EnrolObserver observer;
    private final Roster roster = new Roster();
    private final PodActs acts;

    /// UIDs of pods. Its lock may be taken under ours, not the other way round.
    private final WorkQueue<String> queue;

    private final Map<String, EnrolEntry> entries = new HashMap<>();

    /// What the engine acts through.
    public record Tools(
            PodRules rules, ProbeSet probes, Proxies proxies, NamespaceFinder finder, RedirectionNotes notes) {}

    /// Does nothing before [#start].
    ///
    /// @param dns what holds for pods that do not say
    public EnrolEngine(
            NodePods pods,
            Eligibility eligibility,
            CaptureSettings.DnsCapture dns,
            Tools tools,
            Timeline timeline,
            EnrolObserver observer) {
        this.pods = pods;
        this.eligibility = eligibility;
        this.dns = dns;
        this.observer = observer;
        this.acts = new PodActs(tools.rules(), tools.probes(), tools.proxies(), tools.finder(), tools.notes(), roster);
        this.queue = new WorkQueue<>(WORK, timeline, this::handle, (_, _) -> {});
    }

    /// The pods that node proxies have to know.
    public Roster roster() {
        return roster;
    }

    /// Pods of an earlier run that are captured already. To be called once, before [#start].
    ///
    /// @param found their namespaces by UID, taken over; proxies keep those that are missing
    public synchronized void adopt(List<PodManifest> captured, Map<String, NetworkNamespace> found) {
        for (var pod : captured) {
            var entry = entry(pod);
            var namespace = Optional.ofNullable(found.get(pod.metadata().uid()));
            try {
                var settings = CaptureSettings.of(pod.annotations(), dns);
                // One that waited for a proxy goes on from there; of the others the first audit checks all.
                var step = Redirection.of(pod.annotations()) == Redirection.ENABLED ? Step.NOTED : Step.NAMESPACE;
                var held = new HeldPod(PodName.of(pod), namespace, settings, entry.addresses, step);
                entry.held = Optional.of(held);
                roster.put(held);
            } catch (ProblemException e) {
                entry.problem = Optional.of(e.problem());
                namespace.ifPresent(NetworkNamespace::close);
            }
        }
    }

    /// Begins to act.
    public void start() {
        var _ = queue.start(Thread.ofPlatform().daemon().name("enrol-", 1).factory());
    }

    public synchronized void tell(List<PodChange> changes) {
        for (var change : changes) {
            switch (change) {
                case PodChange.Came(var pod) -> {
                    observer.saw(EnrolObserver.Event.ADD);
                    touch(present(pod));
                }
                case PodChange.Changed(var pod) -> {
                    observer.saw(EnrolObserver.Event.UPDATE);
                    touch(present(pod));
                }
                case PodChange.Gone(var last) -> {
                    observer.saw(EnrolObserver.Event.DELETE);
                    var entry = entry(last);
                    entry.deleted = true;
                    touch(entry);
                }
            }
        }
    }

    private EnrolEntry present(PodManifest pod) {
        var entry = entry(pod);
        entry.deleted = false;
        return entry;
    }

    private EnrolEntry entry(PodManifest pod) {
        var entry = entries.get(pod.metadata().uid());
        if (entry == null) {
            entry = new EnrolEntry(pod);
            entries.put(pod.metadata().uid(), entry);
        } else {
            entry.see(pod);
        }
        return entry;
    }

    private void touch(EnrolEntry entry) {
        queue.add(entry.pod.metadata().uid());
    }

    /// Captures a pod that is about to start, for the plugin. The answer is why not, or empty; cancelling it means that
    /// nobody waits any more, not that it is undone.
    public synchronized CompletableFuture<Optional<Problem>> enrol(
            PodManifest pod, Path namespace, List<Ip> addresses) {
        var entry = entry(pod);
        entry.request.ifPresent(old -> old.answer().complete(Optional.of(EnrolProblems.overtaken(pod))));
        var request = new EnrolRequest(namespace, EnrolEntry.unmapped(addresses), new CompletableFuture<>());
        entry.request = Optional.of(request);
        touch(entry);
        return request.answer();
    }

    /// Does the steps after `last` again, for a pod of which not all is as it should be.
    public synchronized void repair(String uid, Step last) {
        var entry = entries.get(uid);
        if (entry != null) {
            if (!queue.isRunning(uid)) { // else whoever is at it may be repairing it
                entry.held = entry.held.map(held -> held.backTo(last));
            }
            touch(entry);
        }
    }

    /// Has a look at a pod again.
    public synchronized void recheck(String uid) {
        Optional.ofNullable(entries.get(uid)).ifPresent(this::touch);
    }

    /// A proxy is there that was not before: pods that waited for one need not wait longer.
    public void proxyCame() {
        queue.retryNow();
    }

    /// All pods of the node, in no order.
    public synchronized List<PodState> states() {
        return entries.values().stream()
                .filter(entry -> !entry.deleted)
                .map(this::state)
                .toList();
    }

    private PodState state(EnrolEntry entry) {
        return new PodState(
                PodName.of(entry.pod),
                verdict(entry),
                Redirection.of(entry.pod.annotations()),
                entry.existence() == EnrolDecision.Existence.FINISHED
                        ? PodState.Existence.FINISHED
                        : PodState.Existence.RUNNING,
                entry.held,
                entry.problem);
    }

    private Eligibility.EligibilityVerdict verdict(EnrolEntry entry) {
        return verdict(entry.pod);
    }

    /// Whether a pod is to be captured, as far as its namespace is known.
    public Eligibility.EligibilityVerdict verdict(PodManifest pod) {
        return eligibility.verdict(pod, pods.labels(pod.namespace()));
    }

    /// Looks at a pod while nothing else happens to it; empty if something does, or it is not there any more.
    public <T> Optional<T> look(String uid, Function<PodState, T> work) {
        return queue.runAlone(uid, () -> known(uid).map(work)).flatMap(Function.identity());
    }

    private synchronized Optional<PodState> known(String uid) {
        return Optional.ofNullable(entries.get(uid))
                .filter(entry -> !entry.deleted)
                .map(this::state);
    }

    /// An act with what it needs, decided and put together under the lock.
    private record Task(EnrolDecision decision, Optional<EnrolRequest> request, Function<PodActs, EnrolResult> act) {}

    private WorkQueue.WorkResult handle(String uid) {
        EnrolEntry entry;
        Task task;
        synchronized (this) {
            entry = entries.get(uid);
            if (entry == null) {
                return WorkQueue.WorkResult.DONE;
            }
            task = task(entry);
        }
        EnrolResult outcome;
        try {
            outcome = task.act().apply(acts);
        } catch (RuntimeException e) {
            log.atError().setCause(e).addKeyValue("pod", PodName.of(entry.pod)).log("acting on a pod has a bug");
            outcome = EnrolResult.retry(entry.held, EnrolProblems.bug(e));
        }
        synchronized (this) {
            return finish(entry, task, outcome);
        }
    }

    private Task task(EnrolEntry entry) {
        var request = entry.request;
        var verdict = verdict(entry);
        var name = PodName.of(entry.pod);
        request.filter(it -> !it.addresses().isEmpty()).ifPresent(it -> entry.addresses = it.addresses());
        var decision = EnrolDecision.decide(entry.facts(verdict));
        entry.request = Optional.empty();
        var held = entry.held;
        var addresses = entry.addresses;
        return new Task(
                decision,
                request,
                switch (decision) {
                    case EnrolDecision.Leave _ ->
                        _ -> new EnrolResult(
                                held,
                                request.map(_ -> EnrolProblems.notEligible(name, verdict))
                                        .or(() -> entry.problem),
                                EnrolResult.Again.ON_OCCASION);
                    case EnrolDecision.Enrol _ -> enrolment(entry, name, request);
                    case EnrolDecision.Readdress _ -> to -> to.readdress(held.orElseThrow(), addresses);
                    case EnrolDecision.Annotate _ -> to -> to.annotate(held.orElseThrow());
                    case EnrolDecision.Release(var how) -> {
                        var departure = new PodActs.Departure(name, entry.everyAddress(), how, held);
                        yield to -> to.release(departure);
                    }
                });
    }

    private Function<PodActs, EnrolResult> enrolment(EnrolEntry entry, PodName name, Optional<EnrolRequest> request) {
        var held = entry.held;
        try {
            var settings = CaptureSettings.of(entry.pod.annotations(), dns);
            var job =
                    new PodActs.Enrolment(name, entry.addresses, settings, request.map(EnrolRequest::namespace), held);
            return to -> to.enrol(job);
        } catch (ProblemException e) {
            return _ -> new EnrolResult(held, Optional.of(e.problem()), EnrolResult.Again.ON_OCCASION);
        }
    }

    private WorkQueue.WorkResult finish(EnrolEntry entry, Task task, EnrolResult outcome) {
        var name = PodName.of(entry.pod);
        entry.held = outcome.held();
        report(name, task.decision(), entry.problem, outcome.problem());
        entry.problem = outcome.problem();
        answer(task, outcome, name, verdict(entry));
        if (outcome.again() == EnrolResult.Again.SOON) {
            return WorkQueue.WorkResult.TRY_AGAIN;
        }
        if (entry.deleted && entry.held.isEmpty() && entry.request.isEmpty()) {
            entries.remove(name.uid());
        }
        return WorkQueue.WorkResult.DONE;
    }

    private void answer(Task task, EnrolResult outcome, PodName name, Eligibility.EligibilityVerdict verdict) {
        task.request().ifPresent(request -> {
            var released = task.decision() instanceof EnrolDecision.Release;
            var problem = released ? Optional.of(EnrolProblems.notEligible(name, verdict)) : outcome.problem();
            var _ = request.answer().complete(problem);
        });
    }

    /// Each new problem once, not each attempt.
    private static void report(PodName name, EnrolDecision decision, Optional<Problem> before, Optional<Problem> now) {
        switch (decision) {
            case EnrolDecision.Leave _ -> {}
            case EnrolDecision.Enrol _
            when now.isEmpty() ->
                log.atInfo()
                        .addKeyValue("pod", name)
                        .addKeyValue("uid", name.uid())
                        .log("pod captured");
            case EnrolDecision.Release(var how)
            when now.isEmpty() ->
                log.atInfo().addKeyValue("pod", name).addKeyValue("how", how).log("pod released");
            default -> {}
        }
        if (now.isPresent() && !now.map(Problem::message).equals(before.map(Problem::message))) {
            log.atWarn()
                    .addKeyValue("pod", name)
                    .addKeyValue("problem", now.get().code())
                    .log("pod not in its intended state: {}", now.get());
        }
    }

    /// Acts no more; pods stay as they are. Their namespaces are given back to the system.
    @Override
    public synchronized void close() {
        queue.close();
        entries.forEach((uid, entry) -> {
            if (!queue.isRunning(uid)) {
                entry.held.ifPresent(HeldPod::close);
            }
        });
        var unanswered = new LinkedHashMap<String, EnrolRequest>();
        entries.forEach((uid, entry) -> entry.request.ifPresent(request -> unanswered.put(uid, request)));
        unanswered.values().forEach(request -> request.answer().complete(Optional.of(EnrolProblems.stopping())));
    }
}
