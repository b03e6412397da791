// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Callers;
import java.util.List;

/// Where a VirtualService is looked at from.
///
/// @param gateway `namespace/name`, or [VirtualServiceManifest#MESH]
record Viewpoint(String gateway) {
    static final Viewpoint MESH = new Viewpoint(VirtualServiceManifest.MESH);

    boolean isMesh() {
        return gateway.equals(VirtualServiceManifest.MESH);
    }

    /// Whether the VirtualService is bound to this place.
    boolean sees(VirtualServiceManifest owner) {
        return names(owner, owner.gateways());
    }

    /// Whether matches for these callers count here. Nobody behind a tunnel, or outside, shows labels.
    boolean sees(VirtualServiceManifest owner, Callers callers) {
        return callers.sourceLabels().isEmpty()
                && (callers.gateways().isEmpty() || names(owner, callers.gateways()))
                && (callers.sourceNamespace().isEmpty()
                        || isMesh()
                        || gateway.startsWith(callers.sourceNamespace() + "/"));
    }

    private boolean names(VirtualServiceManifest owner, List<String> gateways) {
        return gateways.stream().map(name -> qualified(owner, name)).anyMatch(gateway::equals);
    }

    /// The name of a gateway as `namespace/name`.
    static String qualified(VirtualServiceManifest owner, String name) {
        return name.equals(VirtualServiceManifest.MESH) || name.contains("/") ? name : owner.namespace() + "/" + name;
    }
}
