package io.fathom.wire.kube;

import io.fathom.model.mesh.Ip;
import java.util.List;
import java.util.Optional;

/// A Pod.
///
/// @param ips its parseable addresses, in order
/// @param ports of containers, then of init containers that go on running
/// @param controller the owner that is its controller
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
        String generateName)
        implements Manifest {

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
