// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ServiceSummary;
import java.util.List;

/// What a fleet tells a control plane of one other cluster. A cluster that is to be forgotten is named apart:
/// nothing in here, and nothing that is missing, says that one has gone.
///
/// @param extent whether these are all services of that cluster
/// @param removedPaths of services that it exports no more, as `namespace/name`; none of [Extent#ALL]
public record OriginView(
        ClusterSummary cluster, Extent extent, List<ServiceSummary> changed, List<String> removedPaths) {
    /// How much of a cluster is said.
    public enum Extent {
        /// All there is: what is not in it has gone.
        ALL,
        /// What is different: everything else stays.
        DELTA
    }

    public OriginView {
        changed = List.copyOf(changed);
        removedPaths = List.copyOf(removedPaths);
        if (extent == Extent.ALL && !removedPaths.isEmpty()) {
            throw new IllegalArgumentException("what is not among all services is removed without being named");
        }
    }

    public static OriginView all(ClusterSummary cluster, List<ServiceSummary> services) {
        return new OriginView(cluster, Extent.ALL, services, List.of());
    }

    public static OriginView delta(ClusterSummary cluster, List<ServiceSummary> changed, List<String> removedPaths) {
        return new OriginView(cluster, Extent.DELTA, changed, removedPaths);
    }
}
