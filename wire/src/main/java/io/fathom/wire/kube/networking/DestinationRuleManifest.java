// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A DestinationRule: how clients treat a host, and which parts of it have names.
///
/// @param host as written: a short name means a service in the rule's namespace
/// @param ports settings of single ports, by number
/// @param exportTo namespaces that may use it, `.` for its own, `*` for all; empty means all
/// @param workloadSelector labels of the proxies that it is for; empty when it is for all
public record DestinationRuleManifest(
        Metadata metadata,
        String host,
        TrafficPolicy policy,
        Map<Integer, TrafficPolicy> ports,
        List<Subset> subsets,
        List<String> exportTo,
        Optional<Map<String, String>> workloadSelector)
        implements Manifest {

    /// The endpoints that have all of these labels.
    public record Subset(
            String name, Map<String, String> labels, TrafficPolicy policy, Map<Integer, TrafficPolicy> ports) {
        public Subset {
            labels = Map.copyOf(labels);
            ports = Map.copyOf(ports);
        }
    }

    public DestinationRuleManifest {
        ports = Map.copyOf(ports);
        subsets = List.copyOf(subsets);
        exportTo = List.copyOf(exportTo);
    }
}
