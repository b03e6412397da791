// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.NamespacedHostname;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Short ways to write workloads and services. Everything is on network `n1` in namespace `ns1` unless told.
final class Fixtures {
    private Fixtures() {}

    static Ip ip(String text) {
        return Ip.parse(text).orElseThrow();
    }

    static IpPort ipPort(String text) {
        return IpPort.parse(text).orElseThrow();
    }

    static GatewayAddress gateway(String ipPort) {
        return gateway("n1", ipPort);
    }

    static GatewayAddress gateway(String network, String text) {
        var at = ipPort(text);
        return new GatewayAddress(
                new GatewayAddress.GatewayDestination.ByAddress(NetworkAddress.of(network, at.ip())), at.port());
    }

    static GatewayAddress named(String host, int port) {
        return new GatewayAddress(
                new GatewayAddress.GatewayDestination.ByHostname(new NamespacedHostname("ns1", host)), port);
    }

    static WorkloadDraft pod(String name, String... ips) {
        return new WorkloadDraft(name, ips);
    }

    static ServiceDraft service(String name, String... vips) {
        return new ServiceDraft(name, vips);
    }

    static MeshView view(Object... drafts) {
        var store = new MeshStore(Optional.empty());
        store.apply(MeshDelta.ofAddresses(
                Stream.of(drafts)
                        .map(draft -> switch (draft) {
                            case WorkloadDraft workload -> workload.build();
                            case ServiceDraft service -> service.build();
                            default -> throw new IllegalArgumentException(draft.toString());
                        })
                        .toList(),
                List.of()));
        return store.view();
    }

    static final class WorkloadDraft {
        private final String name;
        private final List<Ip> ips;
        private final Map<String, List<Port>> services = new HashMap<>();
        String uid;
        String workloadName;
        String namespace = "ns1";
        String hostname = "";
        String network = "n1";
        String account = "";
        String node = "node1";
        String cluster = "c1";
        Workload.TunnelProtocol tunnel = Workload.TunnelProtocol.HBONE;
        Optional<GatewayAddress> waypoint = Optional.empty();
        Optional<GatewayAddress> networkGateway = Optional.empty();
        Optional<Workload.ApplicationTunnel> applicationTunnel = Optional.empty();
        Workload.Health health = Workload.Health.HEALTHY;
        Workload.NetworkMode mode = Workload.NetworkMode.STANDARD;
        Locality locality = Locality.NONE;
        List<String> policies = List.of();
        int capacity;
        Workload.Hairpin hairpin = Workload.Hairpin.NO;

        WorkloadDraft(String name, String... ips) {
            this.name = name;
            this.workloadName = name;
            this.uid = "c1//Pod/ns1/" + name;
            this.ips = Stream.of(ips).map(Fixtures::ip).toList();
        }

        WorkloadDraft uid(String value) {
            uid = value;
            return this;
        }

        WorkloadDraft workloadName(String value) {
            workloadName = value;
            return this;
        }

        WorkloadDraft namespace(String value) {
            namespace = value;
            uid = "c1//Pod/" + value + "/" + name;
            return this;
        }

        WorkloadDraft hostname(String value) {
            hostname = value;
            return this;
        }

        WorkloadDraft network(String value) {
            network = value;
            return this;
        }

        WorkloadDraft account(String value) {
            account = value;
            return this;
        }

        WorkloadDraft node(String value) {
            node = value;
            return this;
        }

        WorkloadDraft cluster(String value) {
            cluster = value;
            return this;
        }

        WorkloadDraft plain() {
            tunnel = Workload.TunnelProtocol.NONE;
            return this;
        }

        WorkloadDraft waypoint(GatewayAddress value) {
            waypoint = Optional.of(value);
            return this;
        }

        WorkloadDraft networkGateway(GatewayAddress value) {
            networkGateway = Optional.of(value);
            return this;
        }

        WorkloadDraft tunnel(Workload.ApplicationTunnel.Protocol protocol, int port) {
            applicationTunnel = Optional.of(new Workload.ApplicationTunnel(protocol, port));
            return this;
        }

        WorkloadDraft unhealthy() {
            health = Workload.Health.UNHEALTHY;
            return this;
        }

        WorkloadDraft onHostNetwork() {
            mode = Workload.NetworkMode.HOST_NETWORK;
            return this;
        }

        WorkloadDraft locality(String value) {
            locality = Locality.parse(value);
            return this;
        }

        WorkloadDraft policies(String... values) {
            policies = List.of(values);
            return this;
        }

        WorkloadDraft capacity(int value) {
            capacity = value;
            return this;
        }

        WorkloadDraft hairpin() {
            hairpin = Workload.Hairpin.YES;
            return this;
        }

        /// Behind `ns1/<service>.example`, with ports `service:target`.
        WorkloadDraft behind(String service, String... ports) {
            services.put(key(service), Fixtures.ports(ports));
            return this;
        }

        Workload build() {
            return new Workload(
                    uid,
                    name,
                    namespace,
                    new WorkloadNetwork(network, ips, hostname, mode),
                    new WorkloadTunnel(tunnel, Workload.NativeTunnel.NO, applicationTunnel),
                    new WorkloadSecurity("", account, policies),
                    new WorkloadGateways(waypoint, hairpin, networkGateway),
                    new WorkloadPlace(cluster, node, locality),
                    new CanonicalService(workloadName, "v1"),
                    new WorkloadOwner(Workload.Type.DEPLOYMENT, workloadName),
                    health,
                    new ServiceMembership(services, capacity));
        }
    }

    static String key(String service) {
        return service.contains("/") ? service : "ns1/" + service + ".example";
    }

    static List<Port> ports(String... ports) {
        return Stream.of(ports)
                .map(port -> port.split(":", 2))
                .map(parts -> new Port(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), AppProtocol.UNKNOWN))
                .toList();
    }

    static final class ServiceDraft {
        private final String name;
        private final List<String> vips;
        private String namespace = "ns1";
        private String network = "n1";
        private List<Port> ports = Fixtures.ports("80:8080");
        private List<String> names = List.of();
        private Optional<GatewayAddress> waypoint = Optional.empty();
        private LoadBalancing balancing = LoadBalancing.NONE;
        private Service.IpFamilies families = Service.IpFamilies.AUTOMATIC;
        private Service.Canonical canonical = Service.Canonical.NO;
        private Service.Visibility visibility = Service.Visibility.PUBLIC;
        private List<Service.WeightedWaypoint> weighted = List.of();

        ServiceDraft(String name, String... vips) {
            this.name = name;
            this.vips = List.of(vips);
        }

        ServiceDraft namespace(String value) {
            namespace = value;
            return this;
        }

        ServiceDraft network(String value) {
            network = value;
            return this;
        }

        ServiceDraft ports(String... values) {
            ports = Fixtures.ports(values);
            return this;
        }

        ServiceDraft names(String... values) {
            names = List.of(values);
            return this;
        }

        ServiceDraft waypoint(GatewayAddress value) {
            waypoint = Optional.of(value);
            return this;
        }

        ServiceDraft balancing(LoadBalancing.Mode mode, LoadBalancing.Scope... preference) {
            balancing = new LoadBalancing(List.of(preference), mode, balancing.healthPolicy());
            return this;
        }

        ServiceDraft allowAll() {
            balancing =
                    new LoadBalancing(balancing.preference(), balancing.mode(), LoadBalancing.HealthPolicy.ALLOW_ALL);
            return this;
        }

        ServiceDraft families(Service.IpFamilies value) {
            families = value;
            return this;
        }

        ServiceDraft canonical() {
            canonical = Service.Canonical.YES;
            return this;
        }

        ServiceDraft hidden() {
            visibility = Service.Visibility.NAMESPACE;
            return this;
        }

        ServiceDraft weighted(GatewayAddress one, int oneWeight, GatewayAddress other, int otherWeight) {
            weighted = List.of(
                    new Service.WeightedWaypoint(one, oneWeight), new Service.WeightedWaypoint(other, otherWeight));
            return this;
        }

        Service build() {
            var addresses = vips.stream()
                    .map(vip -> new NetworkAddress(network, IpBlock.parse(vip).orElseThrow()))
                    .toList();
            return new Service(
                    name,
                    namespace,
                    name + ".example",
                    addresses,
                    ports,
                    names,
                    new ServiceWaypoints(waypoint, weighted, Service.IngressWaypoint.SKIPPED),
                    balancing,
                    families,
                    canonical,
                    visibility);
        }
    }
}
