// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.tree.Tree;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What one file of the folder holds, as far as it concerns this machine.
///
/// @param deployments by their keys
/// @param gateways as they were written: what becomes of them may depend on other files
/// @param overlays data of ConfigMaps, which Gateways may name
/// @param problems what cannot be played; what the control plane cannot read, that one tells
/// @param condition whether everything in it could be read
record FolderPart(
        Map<String, Deployment> deployments,
        Map<ObjectName, Declared.Service> services,
        Map<ObjectName, Declared.Namespace> namespaces,
        Map<ObjectName, Tree> gateways,
        Map<ObjectName, Map<String, String>> overlays,
        List<ManifestProblem> problems,
        PartCondition condition) {
    static final FolderPart NOTHING =
            new FolderPart(Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), List.of(), PartCondition.COMPLETE);

    enum PartCondition {
        COMPLETE,
        /// A document was lost: what is not in here may have been in it.
        DAMAGED
    }

    FolderPart {
        deployments = Map.copyOf(deployments);
        services = Map.copyOf(services);
        namespaces = Map.copyOf(namespaces);
        gateways = Map.copyOf(gateways);
        overlays = Map.copyOf(overlays);
        problems = List.copyOf(problems);
    }

    /// With what the file held before, where that may still be in it.
    FolderPart after(FolderPart before) {
        return condition == PartCondition.COMPLETE
                ? this
                : new FolderPart(
                        both(before.deployments, deployments),
                        both(before.services, services),
                        both(before.namespaces, namespaces),
                        both(before.gateways, gateways),
                        both(before.overlays, overlays),
                        problems,
                        condition);
    }

    private static <K, V> Map<K, V> both(Map<K, V> before, Map<K, V> now) {
        var result = new LinkedHashMap<>(before);
        result.putAll(now);
        return result;
    }
}
