// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import java.util.Map;

/// Connections of a management server.
///
/// @param strangers without a certificate of the fleet
/// @param members with one
/// @param evicted how many were closed to make room, since the start
public record ConnectionCounts(int strangers, int members, Map<EvictionReason, Long> evicted) {
    public ConnectionCounts {
        evicted = Map.copyOf(evicted);
    }
}
