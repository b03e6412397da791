// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Workload;
import java.util.Map;

/// Where a proxy stands. Proxies with equal vantages, cut down to what matters for a set ([Endpoints#vantage]), get the
/// very same set.
///
/// @param labels of its pod, for rules that compare labels
public record ProxyLocation(
        String network, String cluster, String node, Locality locality, Map<String, String> labels) {
    public ProxyLocation {
        labels = Map.copyOf(labels);
    }

    /// Somewhere on a network, and no more is known.
    public static ProxyLocation on(String network) {
        return new ProxyLocation(network, "", "", Locality.NONE, Map.of());
    }

    /// That of a pod.
    public static ProxyLocation of(Workload pod, Map<String, String> labels) {
        return new ProxyLocation(pod.network(), pod.clusterId(), pod.node(), pod.locality(), labels);
    }
}
