// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A name and addresses in front of workloads. The same for every client.
public record Service(
        String name,
        String namespace,
        String hostname,
        List<NetworkAddress> addresses,
        List<Port> ports,
        List<String> subjectAltNames,
        ServiceWaypoints through,
        LoadBalancing loadBalancing,
        IpFamilies ipFamilies,
        Canonical canonical,
        Visibility visibility)
        implements Address {

    public enum IpFamilies {
        AUTOMATIC,
        IPV4_ONLY,
        IPV6_ONLY,
        DUAL
    }

    /// Whether this is the service that its hostname means to clients in other namespaces.
    public enum Canonical {
        NO,
        YES
    }

    /// Whether ingress gateways send through the waypoint too.
    public enum IngressWaypoint {
        SKIPPED,
        USED
    }

    public enum Visibility {
        PUBLIC,
        NAMESPACE
    }

    /// One of several waypoints that share the traffic.
    public record WeightedWaypoint(GatewayAddress destination, int weight) {}

    public Service {
        addresses = List.copyOf(addresses);
        ports = List.copyOf(ports);
        subjectAltNames = List.copyOf(subjectAltNames);
    }

    public Optional<GatewayAddress> waypoint() {
        return through.only();
    }

    public List<WeightedWaypoint> weightedWaypoints() {
        return through.weighted();
    }

    public IngressWaypoint ingressWaypoint() {
        return through.ingress();
    }

    /// The resource name: `namespace/hostname`.
    public String key() {
        return namespace + "/" + hostname;
    }

    @Override
    public String resourceName() {
        return key();
    }

    @Override
    public List<String> aliases() {
        return addresses.stream().map(NetworkAddress::alias).toList();
    }

    @Override
    public Set<GatewayAddress> waypoints() {
        return through.all();
    }

    @Override
    public Service throughWaypointsOf(Address other) {
        return other instanceof Service old ? through(old.waypoint(), old.weightedWaypoints()) : this;
    }

    /// The same while its waypoints do not serve it yet: connections to it had better wait.
    public Service awaitingWaypoints() {
        return through(Optional.of(GatewayAddress.PENDING), List.of());
    }

    /// The same with addresses and identities of several clusters.
    public Service shared(List<NetworkAddress> everywhere, List<String> identities) {
        return new Service(
                name,
                namespace,
                hostname,
                everywhere,
                ports,
                identities,
                through,
                loadBalancing,
                ipFamilies,
                canonical,
                visibility);
    }

    private Service through(Optional<GatewayAddress> other, List<WeightedWaypoint> weighted) {
        return new Service(
                name,
                namespace,
                hostname,
                addresses,
                ports,
                subjectAltNames,
                new ServiceWaypoints(other, weighted, through.ingress()),
                loadBalancing,
                ipFamilies,
                canonical,
                visibility);
    }
}
