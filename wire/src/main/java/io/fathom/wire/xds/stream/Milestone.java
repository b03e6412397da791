// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.StoreCut;
import io.fathom.wire.xds.store.XdsType;
import java.util.Map;
import java.util.Set;

/// Something in a store that its clients have to have acknowledged.
///
/// @param sequence of the cut that it is in
/// @param names of resources without which an Envoy does not have it, by type
public record Milestone(long sequence, Map<XdsType, Set<String>> names) {
    public Milestone {
        names = Map.copyOf(names);
    }

    /// All that node proxies are told up to that cut.
    public static Milestone of(StoreCut cut) {
        return new Milestone(cut.sequence(), Map.of());
    }

    Set<String> names(XdsType type) {
        return names.getOrDefault(type, Set.of());
    }
}
