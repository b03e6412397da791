// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.fathom.control.envoy.view.ClusterName;
import java.util.Optional;

/// A cluster, and which endpoints it has to be sent.
///
/// @param endpoints empty for a cluster that finds its endpoints itself
public record BuiltCluster(ClusterName name, Cluster cluster, Optional<EndpointPlan> endpoints) {
    /// With what makes proxies pass over gateways of other networks that do not answer. A rule that says when endpoints
    /// are left alone wins.
    public BuiltCluster passingOverGateways() {
        return cluster.hasOutlierDetection() || endpoints.isEmpty()
                ? this
                : new BuiltCluster(name, Outliers.passingOverGateways(cluster), endpoints);
    }
}
