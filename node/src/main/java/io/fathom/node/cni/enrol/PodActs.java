// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.netns.NamespaceFinder;
import io.fathom.node.cni.pods.Redirection;
import io.fathom.node.cni.rules.CaptureSettings;
import io.fathom.node.cni.rules.PodRules;
import io.fathom.node.cni.rules.ProbeSet;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Does what was decided, step by step, and says how far it came. Every step may be repeated. Keeps no state; blocks;
/// for any thread, but one at a time for each pod.
final class PodActs {
    private static final Logger log = LoggerFactory.getLogger(PodActs.class);

    private final PodRules rules;
    private final ProbeSet probes;
    private final Proxies proxies;
    private final NamespaceFinder finder;
    private final RedirectionNotes notes;
    private final Roster roster;

    PodActs(
            PodRules rules,
            ProbeSet probes,
            Proxies proxies,
            NamespaceFinder finder,
            RedirectionNotes notes,
            Roster roster) {
        this.rules = rules;
        this.probes = probes;
        this.proxies = proxies;
        this.finder = finder;
        this.notes = notes;
        this.roster = roster;
    }

    /// @param given where the plugin says the pod's namespace is
    /// @param held what is held already
    record Enrolment(
            PodName pod, Set<Ip> addresses, CaptureSettings settings, Optional<Path> given, Optional<HeldPod> held) {}

    /// In the order that lets no packet of the pod pass uncaptured, nor the control plane hear of it too early.
    EnrolResult enrol(Enrolment job) {
        HeldPod held;
        try {
            held = namespace(job);
        } catch (ProblemException e) {
            // A pod of an earlier run is kept by its proxies, even if its namespace cannot be found just now.
            return new EnrolResult(job.held(), Optional.of(e.problem()), EnrolResult.Again.ON_OCCASION);
        }
        if (!held.step().includes(Step.RULES)) {
            var problem = redirect(held);
            if (problem.isPresent()) {
                return abandon(job, held, problem.get());
            }
            held = held.at(Step.RULES);
        }
        roster.put(held);
        if (!held.step().includes(Step.PROXY)) {
            var problem = serve(held);
            if (problem.isPresent()) {
                write(held.pod(), Redirection.PENDING);
                return EnrolResult.retry(held, problem.get());
            }
            held = held.at(Step.PROXY);
        }
        return publish(held, job.addresses());
    }

    /// A pod that was captured before stays held, whatever is wrong with it now.
    private EnrolResult abandon(Enrolment job, HeldPod held, Problem problem) {
        if (job.held().isPresent() && isSame(job.held().get(), held)) {
            return EnrolResult.retry(held, problem);
        }
        forget(held);
        return EnrolResult.dropped(problem);
    }

    private static boolean isSame(HeldPod one, HeldPod other) {
        return one.namespace()
                .map(NetworkNamespace::identity)
                .equals(other.namespace().map(NetworkNamespace::identity));
    }

    private void forget(HeldPod held) {
        roster.remove(held.pod().uid());
        held.close();
    }

    /// What is held, with the namespace that the plugin gave, or that it had, or that can be found.
    private HeldPod namespace(Enrolment job) {
        var old = job.held().flatMap(HeldPod::namespace);
        var fresh = job.given().map(PodActs::open).or(() -> old.isPresent() ? Optional.empty() : found(job));
        if (fresh.isEmpty()) {
            return old.isPresent() ? job.held().orElseThrow() : missing(job);
        }
        if (old.isPresent() && old.get().identity().equals(fresh.get().identity())) {
            fresh.get().close(); // the old handle is as good, and others may use it right now
            return new HeldPod(job.pod(), old, job.settings(), job.addresses(), Step.NAMESPACE);
        }
        old.ifPresent(NetworkNamespace::close);
        return new HeldPod(job.pod(), fresh, job.settings(), job.addresses(), Step.NAMESPACE);
    }

    private static NetworkNamespace open(Path path) {
        try {
            return NetworkNamespace.open(path);
        } catch (PosixException e) {
            throw new ProblemException(e.problem("pod-namespace-unusable"));
        }
    }

    private Optional<NetworkNamespace> found(Enrolment job) {
        return finder.find(job.pod().uid(), job.addresses());
    }

    private static HeldPod missing(Enrolment job) {
        throw new ProblemException(new Problem(
                "pod-namespace-not-found",
                "no process of pod " + job.pod() + " has a network namespace with its address " + job.addresses(),
                "check that the pod runs on this node and that the agent sees the node's processes",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE));
    }

    private Optional<Problem> redirect(HeldPod held) {
        try {
            var applied = inside(held, path -> rules.apply(path, held.settings()));
            log.atDebug()
                    .addKeyValue("pod", held.pod())
                    .addKeyValue("rules", applied)
                    .log("traffic is redirected");
            return Optional.empty();
        } catch (ProblemException e) {
            return Optional.of(e.problem());
        }
    }

    private static <T> T inside(HeldPod held, Function<Path, T> work) {
        try {
            return held.namespace().orElseThrow().lend(work);
        } catch (PosixException e) {
            throw new ProblemException(e.problem("pod-namespace-unusable"));
        }
    }

    private Optional<Problem> serve(HeldPod held) {
        return proxies.add(held.pod().info(), held.namespace().orElseThrow());
    }

    /// Lets probes through, then tells the control plane.
    private EnrolResult publish(HeldPod held, Set<Ip> addresses) {
        var reached = held;
        try {
            reached = readdressed(held, addresses);
            notes.write(held.pod(), Redirection.ENABLED);
            return EnrolResult.done(reached.at(Step.NOTED));
        } catch (ProblemException e) {
            return EnrolResult.retry(reached, e.problem());
        }
    }

    private HeldPod readdressed(HeldPod held, Set<Ip> addresses) {
        var uid = held.pod().uid();
        var now = addresses.isEmpty() ? held.addresses() : addresses;
        now.forEach(ip -> probes.put(ip, uid));
        held.addresses().stream().filter(ip -> !now.contains(ip)).forEach(ip -> probes.remove(ip, uid));
        var probed = held.with(now);
        return probed.step().includes(Step.PROBES) ? probed : probed.at(Step.PROBES);
    }

    EnrolResult readdress(HeldPod held, Set<Ip> addresses) {
        try {
            return EnrolResult.done(readdressed(held, addresses));
        } catch (ProblemException e) {
            return EnrolResult.retry(held, e.problem());
        }
    }

    EnrolResult annotate(HeldPod held) {
        try {
            notes.write(held.pod(), Redirection.ENABLED);
            return EnrolResult.done(held);
        } catch (ProblemException e) {
            return EnrolResult.retry(held, e.problem());
        }
    }

    /// @param addresses all that may be in the set for this pod
    record Departure(PodName pod, Set<Ip> addresses, EnrolDecision.How how, Optional<HeldPod> held) {}

    /// The namespace is held, and node proxies serve the pod, until its rules are gone: else it would be cut off.
    EnrolResult release(Departure job) {
        var uid = job.pod().uid();
        var held = job.held();
        try {
            job.addresses().forEach(ip -> probes.remove(ip, uid));
            if (job.how() == EnrolDecision.How.LIVE) {
                held = findable(job);
                held.ifPresent(this::unredirect);
            }
            roster.remove(uid);
            proxies.delete(uid);
            if (job.how() == EnrolDecision.How.LIVE) {
                notes.write(job.pod(), Redirection.ABSENT);
            } else {
                write(job.pod(), Redirection.ABSENT);
            }
            held.ifPresent(HeldPod::close);
            return EnrolResult.released();
        } catch (ProblemException e) {
            return EnrolResult.retry(held, e.problem());
        }
    }

    /// Also of a pod that was captured before this agent started.
    private Optional<HeldPod> findable(Departure job) {
        return job.held()
                .filter(pod -> pod.namespace().isPresent())
                .or(() -> finder.find(job.pod().uid(), job.addresses())
                        .map(namespace -> new HeldPod(
                                job.pod(),
                                Optional.of(namespace),
                                CaptureSettings.of(CaptureSettings.DnsCapture.CAPTURED),
                                job.addresses(),
                                Step.RULES)));
    }

    private void unredirect(HeldPod held) {
        var _ = inside(held, path -> {
            rules.remove(path);
            return path;
        });
    }

    /// For an annotation that does not have to be right.
    private void write(PodName pod, Redirection redirection) {
        try {
            notes.write(pod, redirection);
        } catch (ProblemException e) {
            log.atDebug().addKeyValue("pod", pod).log("annotation not written: {}", e.problem());
        }
    }
}
