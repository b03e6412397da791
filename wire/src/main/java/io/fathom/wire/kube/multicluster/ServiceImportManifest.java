// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.multicluster;

import io.fathom.model.mesh.Ip;
import io.fathom.model.peering.ExportedService;
import io.fathom.model.peering.ExportedService.ExportedPort;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.List;
import java.util.Optional;

/// A ServiceImport: a service that some cluster exports, as it is in this one. The control plane writes these; it reads
/// them to see what is there.
///
/// @param clusters that export it, as the status says
public record ServiceImportManifest(Metadata metadata, ImportSpec spec, List<String> clusters) implements Manifest {
    public static final String KIND = "ServiceImport";

    /// What it says of the service.
    ///
    /// @param ips addresses of its name, in the order of `families`; none for a headless one
    /// @param affinity for how many seconds a client stays with an endpoint; empty where it need not
    /// @param policy empty when not set
    /// @param distribution empty when not set
    public record ImportSpec(
            ExportedService.ExportType kind,
            List<ExportedPort> ports,
            List<Ip> ips,
            List<Ip.Family> families,
            Optional<Integer> affinity,
            String policy,
            String distribution) {
        public ImportSpec {
            ports = List.copyOf(ports);
            ips = List.copyOf(ips);
            families = List.copyOf(families);
        }
    }

    public ServiceImportManifest {
        clusters = List.copyOf(clusters);
    }
}
