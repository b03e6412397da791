// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.control.envoy.view.Member;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.Resolution;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Service.IngressWaypoint;
import io.fathom.model.mesh.Service.WeightedWaypoint;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.Workload.TunnelProtocol;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.DestinationRuleManifest.Subset;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.LoadBalancer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Services and members for tests: service `web` in namespace `shop`, with what a test says about it.
final class Drafts {
    static final String HOST = "web.shop.svc.cluster.local";
    static final String KEY = "shop/" + HOST;
    static final int PORT = 80;
    static final ServicePort HTTP = new ServicePort(PORT, "http", AppProtocol.HTTP11);

    private Drafts() {}

    static Metadata metadata(String namespace, String name) {
        return new Metadata(
                new ObjectKey("c1", namespace, name),
                "uid",
                Map.of(),
                Map.of(),
                Instant.EPOCH,
                Metadata.Lifecycle.ACTIVE);
    }

    static ProxyGroup group(ProxyRole role, String namespace) {
        return new ProxyGroup(role, new ObjectKey("c1", namespace, "gw"), Map.of("app", "gw"), "");
    }

    static ServiceDraft service() {
        return new ServiceDraft();
    }

    /// A service in the making.
    static final class ServiceDraft {
        String host = HOST;
        Resolution resolution = Resolution.ENDPOINTS;
        List<NetworkAddress> addresses = List.of();
        LoadBalancing balancing = LoadBalancing.NONE;
        Optional<GatewayAddress> waypoint = Optional.empty();
        IngressWaypoint ingress = IngressWaypoint.SKIPPED;
        List<WeightedWaypoint> weighted = List.of();
        ServicePort port = HTTP;

        MeshService build() {
            var service = new Service(
                    "web",
                    "shop",
                    host,
                    addresses,
                    List.of(new Port(port.number(), 0, port.protocol())),
                    List.of(),
                    new ServiceWaypoints(waypoint, weighted, ingress),
                    balancing,
                    Service.IpFamilies.AUTOMATIC,
                    Service.Canonical.YES,
                    Service.Visibility.PUBLIC);
            return new MeshService(
                    service, metadata("shop", "web"), MeshService.Origin.SERVICE, List.of(port), resolution);
        }
    }

    static MemberDraft member(String name, String address, int target) {
        return new MemberDraft(name, address, target);
    }

    /// A member in the making: takes tunnels unless told otherwise.
    static final class MemberDraft {
        private final String name;
        private final String address;
        private final int target;
        String host = KEY;
        TunnelProtocol tunnel = TunnelProtocol.HBONE;
        Map<String, String> labels = Map.of();
        Locality locality = Locality.NONE;
        String node = "";
        String network = "";
        Optional<GatewayAddress> gateway = Optional.empty();
        Workload.Health health = Workload.Health.HEALTHY;
        int capacity;

        MemberDraft(String name, String address, int target) {
            this.name = name;
            this.address = address;
            this.target = target;
        }

        MemberDraft plain() {
            tunnel = TunnelProtocol.NONE;
            return this;
        }

        MemberDraft labelled(String key, String value) {
            labels = Map.of(key, value);
            return this;
        }

        MemberDraft in(String place) {
            locality = Locality.parse(place);
            return this;
        }

        MemberDraft on(String machine) {
            node = machine;
            return this;
        }

        Member build() {
            var ip = Ip.parse(address);
            return new Member(
                    new Workload(
                            "c1//Pod/shop/" + name,
                            name,
                            "shop",
                            new WorkloadNetwork(
                                    network,
                                    ip.stream().toList(),
                                    ip.isPresent() ? "" : address,
                                    Workload.NetworkMode.STANDARD),
                            WorkloadTunnel.of(tunnel),
                            new WorkloadSecurity("", "web", List.of()),
                            new WorkloadGateways(Optional.empty(), Workload.Hairpin.NO, gateway),
                            new WorkloadPlace("c1", node, locality),
                            new CanonicalService("web", "latest"),
                            new WorkloadOwner(Workload.Type.POD, "web-" + name),
                            health,
                            new ServiceMembership(
                                    target == 0
                                            ? Map.of()
                                            : Map.of(host, List.of(new Port(PORT, target, AppProtocol.HTTP11))),
                                    capacity)),
                    labels);
        }
    }

    static ServiceTraffic traffic(TrafficPolicy policy, Subset... subsets) {
        return new ServiceTraffic(
                Optional.of(new ServiceTraffic.TrafficRule(
                        new ObjectKey("c1", "shop", "rule"), policy, Map.of(), List.of(subsets))),
                List.of(),
                Optional.empty());
    }

    static Subset subset(String name, Map<String, String> labels) {
        return new Subset(name, labels, TrafficPolicy.NONE, Map.of());
    }

    /// Nothing but a load balancer.
    static TrafficPolicy balanced(LoadBalancer balancer) {
        return new TrafficPolicy(
                Optional.of(balancer),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
