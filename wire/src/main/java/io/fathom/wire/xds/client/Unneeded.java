// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import java.util.Collection;
import java.util.Set;

/// What a client on demand need not hear of any more.
///
/// @param keys that were asked for and are no longer of interest
/// @param names of resources that are held and no longer needed
public record Unneeded(Set<String> keys, Collection<String> names) {
    public Unneeded {
        keys = Set.copyOf(keys);
        names = Set.copyOf(names);
    }

    public boolean isEmpty() {
        return keys.isEmpty() && names.isEmpty();
    }

    /// Finds it, given which keys were used of late and which were not. Knows the mesh.
    @FunctionalInterface
    public interface Finder {
        Unneeded find(Set<String> used, Set<String> idle);
    }
}
