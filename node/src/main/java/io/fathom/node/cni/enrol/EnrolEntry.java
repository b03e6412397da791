// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.base.lang.Problem;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.enrol.EnrolDecision.Addresses;
import io.fathom.node.cni.enrol.EnrolDecision.Existence;
import io.fathom.node.cni.enrol.EnrolDecision.Facts;
import io.fathom.node.cni.enrol.EnrolDecision.Held;
import io.fathom.node.cni.enrol.EnrolDecision.Plugin;
import io.fathom.node.cni.enrol.EnrolDecision.Wish;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.node.cni.pods.Redirection;
import io.fathom.wire.kube.core.PodManifest;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// All that the engine knows about one pod. Only the engine touches it, under its lock.
final class EnrolEntry {
    /// The pod as last seen. When it ends its addresses vanish from it, so those are remembered apart.
    PodManifest pod;

    Set<Ip> addresses = Set.of();
    boolean deleted;
    Optional<HeldPod> held = Optional.empty();
    Optional<EnrolRequest> request = Optional.empty();
    Optional<Problem> problem = Optional.empty();

    /// What the plugin wants, and who waits for it.
    record EnrolRequest(Path namespace, Set<Ip> addresses, CompletableFuture<Optional<Problem>> answer) {}

    EnrolEntry(PodManifest pod) {
        this.pod = pod;
        see(pod);
    }

    void see(PodManifest now) {
        pod = now;
        if (!now.ips().isEmpty()) {
            addresses = unmapped(now.ips());
        }
    }

    static Set<Ip> unmapped(Iterable<Ip> addresses) {
        var set = new HashSet<Ip>();
        addresses.forEach(ip -> set.add(ip.unmapped()));
        return Set.copyOf(set);
    }

    Facts facts(Eligibility.EligibilityVerdict verdict) {
        return new Facts(
                existence(),
                verdict == Eligibility.EligibilityVerdict.WANTED ? Wish.WANTED : Wish.UNWANTED,
                Redirection.of(pod.annotations()),
                held.map(it -> it.isComplete() ? Held.ALL : Held.PART).orElse(Held.NOTHING),
                addresses(),
                request.isPresent() ? Plugin.WAITS : Plugin.SILENT);
    }

    Existence existence() {
        if (deleted) {
            return Existence.DELETED;
        }
        return switch (pod.phase()) {
            case SUCCEEDED, FAILED -> Existence.FINISHED;
            case PENDING, RUNNING, UNKNOWN -> Existence.RUNNING;
        };
    }

    private Addresses addresses() {
        if (addresses.isEmpty()) {
            return Addresses.NONE;
        }
        return held.isPresent() && !held.get().addresses().equals(addresses) ? Addresses.CHANGED : Addresses.KNOWN;
    }

    /// Everything that may stand in the set of probes for this pod.
    Set<Ip> everyAddress() {
        var all = new HashSet<>(addresses);
        held.ifPresent(pod -> all.addAll(pod.addresses()));
        return Set.copyOf(all);
    }
}
