// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// How the ServiceEntries are called that nobody wrote: one for the mesh-wide name of each service that belongs to all
/// clusters, in the namespace of the service. No object can have such a name.
public final class MeshNames {
    private static final String SUFFIX = ":mesh-wide";

    private MeshNames() {}

    public static ObjectKey entryOf(ObjectKey service) {
        return service.sibling(service.name() + SUFFIX);
    }

    public static boolean isOne(ObjectKey entry) {
        return entry.name().endsWith(SUFFIX);
    }

    /// The service that an entry is for.
    public static Optional<ObjectKey> serviceOf(ObjectKey entry) {
        return isOne(entry)
                ? Optional.of(
                        entry.sibling(entry.name().substring(0, entry.name().length() - SUFFIX.length())))
                : Optional.empty();
    }
}
