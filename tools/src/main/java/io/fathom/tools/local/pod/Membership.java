// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.pod;

import java.util.Map;

/// Whether the mesh carries the traffic of a pod. What the network plugin of a cluster decides before it asks the
/// agent.
public enum Membership {
    IN_MESH,
    OUTSIDE;

    private static final String LABEL = "istio.io/dataplane-mode";

    public static Membership of(Map<String, String> namespaceLabels, Map<String, String> podLabels) {
        var ofPod = podLabels.getOrDefault(LABEL, "");
        var ofNamespace = namespaceLabels.getOrDefault(LABEL, "");
        var wanted = ofPod.equals("ambient") || (ofNamespace.equals("ambient") && !ofPod.equals("none"));
        return wanted ? IN_MESH : OUTSIDE;
    }
}
