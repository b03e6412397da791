// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.install.Upgrade.Decision;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds out from the API server whether another agent will come after this one. Blocks; for one thread.
///
/// @param namespace of the agent's DaemonSet
/// @param node the name of this machine
public record UpgradeCheck(KubeClient client, String namespace, String node, WhenUnknown whenUnknown) {
    private static final Logger log = LoggerFactory.getLogger(UpgradeCheck.class);
    private static final String DAEMON_SET = "istio-cni-node";

    /// What to do when the API server does not say.
    public enum WhenUnknown {
        /// Pods must be able to start on this node although no agent is there: what upstream does.
        CLEAN_UP(1, Decision.CLEAN_UP),
        /// The configuration is ours, so nothing else starts pods that we should see: ask again, then keep it.
        KEEP(3, Decision.KEEP);

        private final int tries;
        private final Decision decision;

        WhenUnknown(int tries, Decision decision) {
            this.tries = tries;
            this.decision = decision;
        }
    }

    public Decision decide() {
        for (var attempt = 1; ; attempt++) {
            try {
                var daemonSet = client.get(KubeResource.DAEMON_SETS, namespace, DAEMON_SET);
                return Upgrade.decide(daemonSet, this::nodeLabels);
            } catch (ProblemException e) {
                if (e.problem().code().equals("kube-unauthorized")) {
                    return Decision.CLEAN_UP; // our account is gone, and so are we
                }
                log.atWarn()
                        .addKeyValue("code", e.problem().code())
                        .addKeyValue("problem", e.problem())
                        .addKeyValue("try", attempt)
                        .log("cannot find out whether another agent follows");
                if (attempt >= whenUnknown.tries) {
                    return whenUnknown.decision;
                }
            } catch (MisreadException e) {
                log.atWarn().addKeyValue("problem", e.getMessage()).log("cannot make sense of the DaemonSet");
                return whenUnknown.decision;
            }
        }
    }

    private Map<String, String> nodeLabels() {
        var labels = new HashMap<String, String>();
        client.get(KubeResource.NODES, "", node)
                .ifPresent(found -> labels.putAll(found.metadata().at("labels").textMap()));
        labels.put("metadata.name", node); // the only field that matchFields may name
        return labels;
    }
}
