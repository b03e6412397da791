// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import io.fathom.wire.kube.folder.ObjectName;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// What people ask for in their folder, as far as it concerns this machine. The rest is the control plane's.
///
/// @param services and their JSON
/// @param gateways that proxies run for, by `namespace/name`; their Deployments and Services are among the others
/// @param namespaces their labels and JSON
/// @param problems what cannot be played here
public record Declared(
        SortedMap<String, Deployment> deployments,
        Map<ObjectName, Service> services,
        Map<ObjectName, Namespace> namespaces,
        Map<ObjectName, GatewayReader.Played> gateways,
        List<ManifestProblem> problems) {
    public static final Declared NOTHING = new Declared(new TreeMap<>(), Map.of(), Map.of(), Map.of(), List.of());

    /// A Service as its manifest declares it.
    ///
    /// @param clusterIp as it was written: empty if the Service waits for one, `None` if it wants none
    /// @param selector of its pods
    /// @param alias the name that an ExternalName Service stands for; empty for others
    /// @param ports those that a connection can be made to
    /// @param balanced ports of a Service of type LoadBalancer, each with the pods' own
    public record Service(
            String json,
            String clusterIp,
            String alias,
            Map<String, String> selector,
            List<LocalServicePort> ports,
            Map<Integer, Integer> balanced) {
        public Service {
            selector = Map.copyOf(selector);
            ports = List.copyOf(ports);
            balanced = Map.copyOf(balanced);
        }
    }

    public record Namespace(String json, Map<String, String> labels) {
        public Namespace {
            labels = Map.copyOf(labels);
        }
    }

    public Declared {
        services = Map.copyOf(services);
        namespaces = Map.copyOf(namespaces);
        gateways = Map.copyOf(gateways);
        problems = List.copyOf(problems);
    }

    public Map<String, String> labels(String namespace) {
        var found = namespaces.get(new ObjectName("Namespace", "", namespace));
        return found == null ? Map.of() : found.labels();
    }
}
