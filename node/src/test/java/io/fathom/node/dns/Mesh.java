// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import io.fathom.model.routing.MeshDelta;
import io.fathom.model.routing.MeshStore;
import io.fathom.model.routing.MeshView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// A mesh in the making, with what DNS looks at.
final class Mesh {
    private final List<Address> addresses = new ArrayList<>();

    MeshView view() {
        var store = new MeshStore(Optional.empty());
        var _ = store.apply(MeshDelta.ofAddresses(addresses, List.of()));
        return store.view();
    }

    /// @param vips such as `nw1/10.0.0.1` or `nw1/10.0.0.0/24`
    Mesh service(String namespace, String hostname, String... vips) {
        return service(
                namespace,
                hostname,
                Service.Canonical.NO,
                Service.Visibility.PUBLIC,
                Service.IpFamilies.AUTOMATIC,
                vips);
    }

    Mesh service(
            String namespace,
            String hostname,
            Service.Canonical canonical,
            Service.Visibility visibility,
            Service.IpFamilies families,
            String... vips) {
        addresses.add(new Service(
                hostname,
                namespace,
                hostname,
                Arrays.stream(vips).map(Mesh::address).toList(),
                List.of(),
                List.of(),
                ServiceWaypoints.NONE,
                LoadBalancing.NONE,
                families,
                canonical,
                visibility));
        return this;
    }

    private static NetworkAddress address(String text) {
        var slash = text.indexOf('/');
        return new NetworkAddress(
                text.substring(0, slash),
                IpBlock.parse(text.substring(slash + 1)).orElseThrow());
    }

    Mesh pod(String namespace, String name, List<String> services, String... ips) {
        addresses.add(workload(namespace, name, services, ips));
        return this;
    }

    static Workload workload(String namespace, String name, List<String> services, String... ips) {
        return new Workload(
                "cluster//Pod/" + namespace + "/" + name,
                name,
                namespace,
                new WorkloadNetwork(
                        "nw1",
                        Arrays.stream(ips).map(ip -> Ip.parse(ip).orElseThrow()).toList(),
                        "",
                        Workload.NetworkMode.STANDARD),
                WorkloadTunnel.of(Workload.TunnelProtocol.HBONE),
                new WorkloadSecurity("", "default", List.of()),
                WorkloadGateways.NONE,
                new WorkloadPlace("", "", Locality.NONE),
                new CanonicalService(name, "v1"),
                new WorkloadOwner(Workload.Type.POD, name),
                Workload.Health.HEALTHY,
                new ServiceMembership(
                        services.stream().collect(Collectors.toMap(key -> key, _ -> List.<Port>of())), 0));
    }
}
