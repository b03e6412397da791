// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.pods;

import io.fathom.wire.kube.core.PodManifest;
import java.util.Map;
import java.util.Set;

/// Whether a pod is to be captured. Pure.
///
/// @param excluded namespaces whose pods never are
/// @param systemNamespace where the node proxies are, which must not capture themselves
public record Eligibility(Enablement enablement, Set<String> excluded, String systemNamespace) {
    private static final String SIDECAR = "sidecar.istio.io/status";

    /// What comes out, with the reason.
    public enum EligibilityVerdict {
        WANTED("selected for the mesh"),
        HOST_NETWORK("it has the network of its host"),
        SIDECAR("it has a sidecar"),
        EXCLUDED("its namespace is excluded"),
        NODE_PROXY("it is a node proxy"),
        NOT_SELECTED("no enablement selector matches");

        private final String reason;

        EligibilityVerdict(String reason) {
            this.reason = reason;
        }

        public String reason() {
            return reason;
        }
    }

    public Eligibility {
        excluded = Set.copyOf(excluded);
    }

    public EligibilityVerdict verdict(PodManifest pod, Map<String, String> namespaceLabels) {
        if (excluded.contains(pod.namespace())) {
            return EligibilityVerdict.EXCLUDED;
        }
        if (pod.hostNetwork()) {
            return EligibilityVerdict.HOST_NETWORK;
        }
        if (pod.annotations().containsKey(SIDECAR)) {
            return EligibilityVerdict.SIDECAR;
        }
        if (!enablement.selects(pod.labels(), namespaceLabels)) {
            return EligibilityVerdict.NOT_SELECTED;
        }
        var nodeProxy = pod.namespace().equals(systemNamespace)
                && pod.labels().getOrDefault("app", "").equals("ztunnel");
        return nodeProxy ? EligibilityVerdict.NODE_PROXY : EligibilityVerdict.WANTED;
    }
}
