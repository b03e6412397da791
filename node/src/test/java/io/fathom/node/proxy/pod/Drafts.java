// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
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
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.RequiredWaypoints;
import io.fathom.model.policy.StringMatch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Short ways to write what a mesh has. Everything is on network `n1` in namespace `ns1`.
final class Drafts {
    private Drafts() {}

    static Ip ip(String text) {
        return Ip.parse(text).orElseThrow();
    }

    static IpPort ipPort(String text) {
        return IpPort.parse(text).orElseThrow();
    }

    /// A pod that takes HBONE, with a service account of its own name.
    static Draft pod(String name, String... ips) {
        return new Draft(name, Stream.of(ips).map(Drafts::ip).toList());
    }

    static final class Draft {
        private final String name;
        private final List<Ip> ips;
        private final Map<String, List<Port>> services = new HashMap<>();
        private Workload.TunnelProtocol protocol = Workload.TunnelProtocol.HBONE;
        private List<String> policies = List.of();
        private Optional<Workload.ApplicationTunnel> tunnel = Optional.empty();
        private Optional<GatewayAddress> gateway = Optional.empty();
        private Optional<GatewayAddress> waypoint = Optional.empty();
        private String network = "n1";
        private Workload.Health health = Workload.Health.HEALTHY;
        private Workload.NetworkMode mode = Workload.NetworkMode.STANDARD;
        private Workload.Hairpin hairpin = Workload.Hairpin.NO;
        private String account;

        private Draft(String name, List<Ip> ips) {
            this.name = name;
            this.ips = ips;
            this.account = name;
        }

        Draft plain() {
            protocol = Workload.TunnelProtocol.NONE;
            return this;
        }

        Draft unhealthy() {
            health = Workload.Health.UNHEALTHY;
            return this;
        }

        Draft onHostNetwork() {
            mode = Workload.NetworkMode.HOST_NETWORK;
            return this;
        }

        Draft hairpin() {
            hairpin = Workload.Hairpin.YES;
            return this;
        }

        Draft account(String value) {
            account = value;
            return this;
        }

        Draft policies(String... keys) {
            policies = List.of(keys);
            return this;
        }

        Draft network(String value) {
            network = value;
            return this;
        }

        Draft gateway(String address) {
            return gateway(Drafts.gateway(address));
        }

        Draft gateway(GatewayAddress address) {
            gateway = Optional.of(address);
            return this;
        }

        Draft waypoint(String address) {
            waypoint = Optional.of(Drafts.gateway(address));
            return this;
        }

        Draft tunnel(Workload.ApplicationTunnel.Protocol kind, int port) {
            tunnel = Optional.of(new Workload.ApplicationTunnel(kind, port));
            return this;
        }

        /// Behind `ns1/<service>.example`.
        Draft behind(String service, int port, int target) {
            services.put("ns1/" + service + ".example", List.of(new Port(port, target, AppProtocol.UNKNOWN)));
            return this;
        }

        /// Behind it without saying which ports it has.
        Draft behindWithoutPorts(String service) {
            services.put("ns1/" + service + ".example", List.of());
            return this;
        }

        Workload build() {
            return new Workload(
                    "c1//Pod/ns1/" + name,
                    name,
                    "ns1",
                    new WorkloadNetwork(network, ips, "", mode),
                    new WorkloadTunnel(protocol, Workload.NativeTunnel.NO, tunnel),
                    new WorkloadSecurity("", account, policies),
                    new WorkloadGateways(waypoint, hairpin, gateway),
                    new WorkloadPlace("c1", "node1", new Locality("", "", "")),
                    new CanonicalService(name + "-app", "v1"),
                    new WorkloadOwner(Workload.Type.DEPLOYMENT, name + "-deployment"),
                    health,
                    new ServiceMembership(services, 0));
        }
    }

    static GatewayAddress gateway(String address) {
        var at = ipPort(address);
        return new GatewayAddress(
                new GatewayAddress.GatewayDestination.ByAddress(NetworkAddress.of("n1", at.ip())), at.port());
    }

    /// The service `<name>.example`.
    static GatewayAddress gatewayNamed(String name, int port) {
        return new GatewayAddress(
                new GatewayAddress.GatewayDestination.ByHostname(new NamespacedHostname("ns1", name + ".example")),
                port);
    }

    static Service guarded(Service it, GatewayAddress waypoint) {
        return copy(it, it.addresses(), Optional.of(waypoint), it.loadBalancing(), it.ipFamilies());
    }

    static Service balanced(Service it, LoadBalancing.Mode mode, LoadBalancing.Scope... preference) {
        var balancing = new LoadBalancing(List.of(preference), mode, LoadBalancing.HealthPolicy.ONLY_HEALTHY);
        return copy(it, it.addresses(), it.waypoint(), balancing, it.ipFamilies());
    }

    static Service families(Service it, String otherVip, Service.IpFamilies families) {
        var addresses = List.of(it.addresses().getFirst(), NetworkAddress.of("n1", ip(otherVip)));
        return copy(it, addresses, it.waypoint(), it.loadBalancing(), families);
    }

    private static Service copy(
            Service it,
            List<NetworkAddress> addresses,
            Optional<GatewayAddress> waypoint,
            LoadBalancing balancing,
            Service.IpFamilies families) {
        return new Service(
                it.name(),
                it.namespace(),
                it.hostname(),
                addresses,
                it.ports(),
                it.subjectAltNames(),
                new ServiceWaypoints(waypoint, it.weightedWaypoints(), it.ingressWaypoint()),
                balancing,
                families,
                it.canonical(),
                it.visibility());
    }

    /// `<name>.example`, with one port.
    static Service service(String name, String vip, int port, int target, String... subjectAltNames) {
        return new Service(
                name,
                "ns1",
                name + ".example",
                List.of(NetworkAddress.of("n1", ip(vip))),
                List.of(new Port(port, target, AppProtocol.UNKNOWN)),
                List.of(subjectAltNames),
                ServiceWaypoints.NONE,
                LoadBalancing.NONE,
                Service.IpFamilies.AUTOMATIC,
                Service.Canonical.NO,
                Service.Visibility.PUBLIC);
    }

    /// Speaks of clients with this service account.
    static Authorization policy(String name, Authorization.Scope scope, Authorization.Action action, String account) {
        var empty = Authorization.Match.EMPTY;
        var match = new Authorization.Match(
                empty.namespaces(),
                empty.notNamespaces(),
                List.of(new StringMatch.Exact("cluster.local/ns/ns1/sa/" + account)),
                empty.notPrincipals(),
                empty.sourceIps(),
                empty.notSourceIps(),
                empty.destinationIps(),
                empty.notDestinationIps(),
                empty.destinationPorts(),
                empty.notDestinationPorts(),
                empty.serviceAccounts(),
                empty.notServiceAccounts());
        return new Authorization(
                name,
                "ns1",
                scope,
                action,
                List.of(new Authorization.Group(List.of(new Authorization.Rules(List.of(match))))),
                Authorization.DryRun.NO);
    }

    /// Forbids all calls but those of a waypoint, which is an account here.
    static Authorization requiring(String waypoint) {
        var empty = Authorization.Match.EMPTY;
        var match = new Authorization.Match(
                empty.namespaces(),
                empty.notNamespaces(),
                empty.principals(),
                List.of(new StringMatch.Exact("cluster.local/ns/ns1/sa/" + waypoint)),
                empty.sourceIps(),
                empty.notSourceIps(),
                empty.destinationIps(),
                empty.notDestinationIps(),
                empty.destinationPorts(),
                empty.notDestinationPorts(),
                empty.serviceAccounts(),
                empty.notServiceAccounts());
        return new Authorization(
                new RequiredWaypoints("ns1", List.of(new RequiredWaypoints.Waypoint("ns1", waypoint))).name(),
                "ns1",
                Authorization.Scope.NAMESPACE,
                Authorization.Action.DENY,
                List.of(new Authorization.Group(List.of(new Authorization.Rules(List.of(match))))),
                Authorization.DryRun.NO);
    }

    /// Forbids everything that is not allowed elsewhere.
    static Authorization allowNothing(String name) {
        return new Authorization(
                name,
                "ns1",
                Authorization.Scope.NAMESPACE,
                Authorization.Action.ALLOW,
                List.of(),
                Authorization.DryRun.NO);
    }
}
