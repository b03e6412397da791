// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Transport;
import java.util.List;
import java.util.Optional;

/// An EndpointSlice; `service` is its label `kubernetes.io/service-name`, empty when not set.
public record EndpointSliceManifest(
        Metadata metadata, String service, AddressType addressType, List<Endpoint> endpoints, List<SlicePort> ports)
        implements Manifest {

    public enum AddressType {
        IPV4,
        IPV6,
        FQDN
    }

    /// An endpoint that does not say whether it is ready counts as ready.
    public record Endpoint(List<String> addresses, boolean ready, Optional<TargetRef> target) {
        public Endpoint {
            addresses = List.copyOf(addresses);
        }
    }

    /// The object behind an endpoint.
    public record TargetRef(String kind, String namespace, String name, String uid) {}

    /// Number 0 means all ports.
    public record SlicePort(String name, int number, Transport transport) {}

    public EndpointSliceManifest {
        endpoints = List.copyOf(endpoints);
        ports = List.copyOf(ports);
    }
}
