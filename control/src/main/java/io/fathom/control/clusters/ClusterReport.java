// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.clusters;

import io.fathom.base.lang.Problem;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// How it goes with one cluster.
///
/// @param origin where it is written that it belongs to the mesh
/// @param network that it says it is on; may be empty
/// @param age of what is known of it: nothing while it is followed
/// @param objects how many have been taken in, by kind
/// @param trouble why it is not followed at the moment
public record ClusterReport(
        String cluster,
        String origin,
        SyncState state,
        String network,
        Duration age,
        Map<String, Integer> objects,
        Optional<Problem> trouble) {
    public ClusterReport {
        objects = Map.copyOf(objects);
    }
}
