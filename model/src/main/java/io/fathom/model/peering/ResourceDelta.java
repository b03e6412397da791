// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.peering;

import java.util.List;

/// What is different among the resources of a cluster.
///
/// @param gone `namespace/name` of those that there are no longer
public record ResourceDelta<T>(List<T> changed, List<String> gone) {
    public ResourceDelta {
        changed = List.copyOf(changed);
        gone = List.copyOf(gone);
    }

    public static <T> ResourceDelta<T> none() {
        return new ResourceDelta<>(List.of(), List.of());
    }

    public boolean isEmpty() {
        return changed.isEmpty() && gone.isEmpty();
    }

    public int size() {
        return changed.size() + gone.size();
    }
}
