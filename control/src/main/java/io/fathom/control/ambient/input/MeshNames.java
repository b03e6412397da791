// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;
import java.util.stream.Stream;

/// How the ServiceEntries are called that nobody wrote, in the namespace of the service that each stands for: one for
/// the mesh-wide name of each service that belongs to all clusters, one for the name of each that a ServiceExport
/// exports. No object can have such a name.
public final class MeshNames {
    private static final String MESH_WIDE = ":mesh-wide";
    private static final String CLUSTER_SET = ":cluster-set";

    private MeshNames() {}

    public static ObjectKey entryOf(ObjectKey service) {
        return service.sibling(service.name() + MESH_WIDE);
    }

    public static ObjectKey clusterSetEntryOf(ObjectKey service) {
        return service.sibling(service.name() + CLUSTER_SET);
    }

    /// Whether it is of either kind.
    public static boolean isOne(ObjectKey entry) {
        return serviceOf(entry).isPresent();
    }

    /// The service that an entry is for.
    public static Optional<ObjectKey> serviceOf(ObjectKey entry) {
        return Stream.of(MESH_WIDE, CLUSTER_SET)
                .filter(entry.name()::endsWith)
                .map(suffix ->
                        entry.sibling(entry.name().substring(0, entry.name().length() - suffix.length())))
                .findFirst();
    }
}
