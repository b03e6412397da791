// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.app.http.JsonOut;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// Workloads and services in protobuf's JSON, except that addresses are readable text instead of base64. Pure.
final class MeshJson {
    private MeshJson() {}

    static void workload(JsonOut json, Workload workload) {
        json.text("uid", workload.uid())
                .text("name", workload.name())
                .text("namespace", workload.namespace())
                .list("addresses", workload.addresses(), (out, ip) -> out.value(ip.toString()))
                .text("hostname", workload.hostname())
                .text("network", workload.network())
                .choice("tunnelProtocol", workload.tunnelProtocol())
                .flag("nativeTunnel", workload.nativeTunnel() == Workload.NativeTunnel.YES)
                .text("trustDomain", workload.trustDomain())
                .text("serviceAccount", workload.serviceAccount());
        gateway(json, "waypoint", workload.waypoint());
        gateway(json, "networkGateway", workload.networkGateway());
        json.text("node", workload.node())
                .text("canonicalName", workload.canonicalName())
                .text("canonicalRevision", workload.canonicalRevision())
                .choice("workloadType", workload.type())
                .text("workloadName", workload.workloadName())
                .texts("authorizationPolicies", workload.authorizationPolicies())
                .choice("status", workload.health())
                .text("clusterId", workload.clusterId());
        if (!workload.services().isEmpty()) {
            json.object(
                    "services",
                    services -> new TreeMap<>(workload.services())
                            .forEach((key, ports) -> services.object(key, service -> ports(service, ports))));
        }
        workload.applicationTunnel()
                .ifPresent(tunnel -> json.object(
                        "applicationTunnel",
                        out -> out.choice("protocol", tunnel.protocol()).number("port", tunnel.port())));
        var locality = workload.locality();
        if (!locality.region().isEmpty()) {
            json.object(
                    "locality",
                    out -> out.text("region", locality.region())
                            .text("zone", locality.zone())
                            .text("subzone", locality.subzone()));
        }
        json.choice("networkMode", workload.networkMode()).number("capacity", workload.capacity());
        json.choice("hairpin", workload.hairpin());
    }

    static void service(JsonOut json, Service service) {
        json.text("name", service.name())
                .text("namespace", service.namespace())
                .text("hostname", service.hostname())
                .list("addresses", service.addresses(), (out, address) -> out.object(it -> address(it, address)));
        ports(json, service.ports());
        json.texts("subjectAltNames", service.subjectAltNames());
        gateway(json, "waypoint", service.waypoint());
        if (!service.loadBalancing().equals(LoadBalancing.NONE)) {
            json.object(
                    "loadBalancing",
                    out -> out.texts(
                                    "routingPreference",
                                    service.loadBalancing().preference().stream()
                                            .map(Enum::name)
                                            .toList())
                            .text("mode", mode(service.loadBalancing().mode()))
                            .choice("healthPolicy", service.loadBalancing().healthPolicy()));
        }
        json.choice("ipFamilies", service.ipFamilies())
                .flag("canonical", service.canonical() == Service.Canonical.YES)
                .flag("ingressUseWaypoint", service.ingressWaypoint() == Service.IngressWaypoint.USED)
                .list(
                        "weightedWaypoints",
                        service.weightedWaypoints(),
                        (out, weighted) -> out.object(it -> {
                            gateway(it, "destination", Optional.of(weighted.destination()));
                            it.number("weight", weighted.weight());
                        }))
                .choice("visibility", service.visibility());
    }

    static void block(JsonOut json, IpBlock block) {
        json.text("address", block.address().toString()).number("length", block.length());
    }

    private static String mode(LoadBalancing.Mode mode) {
        return mode == LoadBalancing.Mode.UNSPECIFIED ? "" : mode.name();
    }

    private static void ports(JsonOut json, List<Port> ports) {
        json.list(
                "ports",
                ports,
                (out, port) -> out.object(it -> it.number("servicePort", port.servicePort())
                        .number("targetPort", port.targetPort())
                        .choice("appProtocol", port.appProtocol())));
    }

    private static void address(JsonOut json, NetworkAddress address) {
        json.text("network", address.network())
                .text("address", address.block().address().toString());
        if (!address.block().isSingleAddress()) {
            json.number("length", address.block().length());
        }
    }

    private static void gateway(JsonOut json, String name, Optional<GatewayAddress> gateway) {
        gateway.ifPresent(it -> json.object(name, out -> {
            switch (it.destination()) {
                case GatewayAddress.GatewayDestination.ByHostname(var host) ->
                    out.object(
                            "hostname",
                            to -> to.text("namespace", host.namespace()).text("hostname", host.hostname()));
                case GatewayAddress.GatewayDestination.ByAddress(var address) ->
                    out.object("address", to -> address(to, address));
            }
            out.number("hboneMtlsPort", it.hbonePort());
        }));
    }
}
