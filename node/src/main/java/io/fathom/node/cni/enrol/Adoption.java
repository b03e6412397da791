// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.netns.NamespaceFinder;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.node.cni.pods.NodePods;
import io.fathom.node.cni.pods.Redirection;
import io.fathom.wire.kube.core.PodManifest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes over the pods that an earlier run of the agent has captured: they went on without it, and must not notice that
/// it is back.
public final class Adoption {
    private static final Logger log = LoggerFactory.getLogger(Adoption.class);

    private Adoption() {}

    /// Those that are captured, and are to stay so. Pure.
    static List<PodManifest> captured(NodePods pods, Eligibility eligibility) {
        return pods.all().stream()
                .filter(pod -> Redirection.of(pod.annotations()) != Redirection.ABSENT)
                .filter(pod -> pod.phase() != PodManifest.Phase.SUCCEEDED && pod.phase() != PodManifest.Phase.FAILED)
                .filter(pod ->
                        eligibility.verdict(pod, pods.labels(pod.namespace())) == Eligibility.EligibilityVerdict.WANTED)
                .toList();
    }

    /// To be called once all pods are known and before the engine starts.
    public static void run(EnrolEngine engine, NodePods pods, Eligibility eligibility, NamespaceFinder finder) {
        var captured = captured(pods, eligibility);
        Map<String, Set<Ip>> wanted = new HashMap<>();
        captured.forEach(pod -> wanted.put(pod.metadata().uid(), EnrolEntry.unmapped(pod.ips())));
        var found = finder.find(wanted);
        engine.adopt(captured, found);
        log.atInfo()
                .addKeyValue("captured", captured.size())
                .addKeyValue("found", found.size())
                .log("pods of an earlier run taken over");
    }
}
