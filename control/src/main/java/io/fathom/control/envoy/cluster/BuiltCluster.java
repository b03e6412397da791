// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.fathom.control.envoy.view.ClusterName;
import java.util.Optional;

/// A cluster, and which endpoints it has to be sent.
///
/// @param endpoints empty for a cluster that finds its endpoints itself
public record BuiltCluster(ClusterName name, Cluster cluster, Optional<EndpointPlan> endpoints) {}
