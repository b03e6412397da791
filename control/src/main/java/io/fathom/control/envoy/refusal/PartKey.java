// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.refusal;

import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Comparator;

/// A part of a resource of a proxy group, one of several that an Envoy takes or refuses together.
///
/// @param name of a service, a server or an object, as [ManifestId#path] writes it
public record PartKey(ResourceKey resource, String name) implements Comparable<PartKey> {
    /// All services of a waypoint share this listener.
    public static final String SHARED_LISTENER = "main_internal";

    private static final Comparator<PartKey> ORDER =
            Comparator.comparing(PartKey::resource).thenComparing(PartKey::name);

    /// What a service adds to its waypoint.
    ///
    /// @param service its resource name
    public static PartKey ofService(ObjectKey waypoint, String service) {
        return new PartKey(ResourceKey.listener(waypoint, SHARED_LISTENER), service);
    }

    @Override
    public int compareTo(PartKey other) {
        return ORDER.compare(this, other);
    }
}
