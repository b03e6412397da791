// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.peering;

import io.fathom.model.mesh.Ip;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What a cluster exports under the name of a multi-cluster service: its Service as far as the clusters have to agree
/// on it, and since when.
///
/// @param created the age of the ServiceExport: of two that disagree, the older one counts
/// @param kind as a ServiceImport has it
/// @param families of its Service, the preferred one first
/// @param affinity for how many seconds a client stays with an endpoint; empty where it need not
/// @param policy the `internalTrafficPolicy` of its Service
/// @param distribution the `trafficDistribution` of its Service; empty when not set
/// @param labels that the ServiceImport shall have
/// @param annotations likewise
public record ExportedService(
        Instant created,
        ExportType kind,
        List<ExportedPort> ports,
        List<Ip.Family> families,
        Optional<Integer> affinity,
        String policy,
        String distribution,
        Map<String, String> labels,
        Map<String, String> annotations) {
    /// Whether the name has an address of its own.
    public enum ExportType {
        CLUSTER_SET_IP,
        HEADLESS
    }

    /// A port of it.
    ///
    /// @param protocol `TCP`, `UDP` or `SCTP`
    /// @param appProtocol empty when not set
    public record ExportedPort(String name, int number, String protocol, String appProtocol) {}

    public ExportedService {
        ports = List.copyOf(ports);
        families = List.copyOf(families);
        labels = Map.copyOf(labels);
        annotations = Map.copyOf(annotations);
    }
}
