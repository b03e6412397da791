// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.control.ambient.AmbientMesh;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.core.EndpointSliceManifest;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.NodeManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.Manifest;
import java.util.Map;

/// How upstream's metrics call a changed object.
///
/// @param kind `Pods`, `Services` and so on for what Kubernetes has itself, the kind for mesh objects
/// @param trigger `eds` for endpoints, `svc` for services, `config` for the rest
record KubeEvent(String kind, String action, String trigger) {
    private static final Map<Class<? extends Manifest>, String> REGISTRY = Map.of(
            PodManifest.class, "Pods",
            ServiceManifest.class, "Services",
            NodeManifest.class, "Nodes",
            EndpointSliceManifest.class, "EndpointSlice",
            NamespaceManifest.class, "Namespaces");

    /// To be asked before the mesh has taken the change in.
    static KubeEvent of(ManifestChange change, AmbientMesh before) {
        return switch (change) {
            case ManifestChange.Put(var manifest) ->
                of(manifest.getClass(), before.holds(manifest.getClass(), manifest.key()) ? "update" : "add");
            case ManifestChange.Remove removal -> of(removal.kind(), "delete");
            case ManifestChange.Absent absence -> of(absence.kind(), "delete");
        };
    }

    boolean isConfig() {
        return !REGISTRY.containsValue(kind);
    }

    private static KubeEvent of(Class<? extends Manifest> kind, String action) {
        var name = REGISTRY.getOrDefault(kind, kind.getSimpleName().replace("Manifest", ""));
        var trigger = switch (name) {
            case "Pods", "EndpointSlice" -> "eds";
            case "Services" -> "svc";
            default -> "config";
        };
        return new KubeEvent(name, action, trigger);
    }
}
