// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.PodResolver;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Transport;
import java.util.List;
import java.util.Optional;

/// A Pod.
///
/// @param ips its parseable addresses, in order
/// @param ports of containers, then of init containers that go on running
/// @param controller the owner that is its controller
/// @param resolver what it says about DNS
public record PodManifest(
        Metadata metadata,
        Phase phase,
        boolean ready,
        List<Ip> ips,
        String node,
        String serviceAccount,
        boolean hostNetwork,
        List<ContainerPort> ports,
        Optional<Owner> controller,
        String generateName,
        PodResolver resolver)
        implements Manifest {

    /// A pod that says nothing about DNS.
    public PodManifest(
            Metadata metadata,
            Phase phase,
            boolean ready,
            List<Ip> ips,
            String node,
            String serviceAccount,
            boolean hostNetwork,
            List<ContainerPort> ports,
            Optional<Owner> controller,
            String generateName) {
        this(
                metadata,
                phase,
                ready,
                ips,
                node,
                serviceAccount,
                hostNetwork,
                ports,
                controller,
                generateName,
                PodResolver.NONE);
    }

    public enum Phase {
        PENDING,
        RUNNING,
        SUCCEEDED,
        FAILED,
        UNKNOWN
    }

    public record ContainerPort(String name, int number, Transport transport) {}

    public record Owner(String kind, String name) {}

    public PodManifest {
        ips = List.copyOf(ips);
        ports = List.copyOf(ports);
    }
}
