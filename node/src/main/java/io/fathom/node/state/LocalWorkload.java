// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads one workload of a [LocalMesh].
final class LocalWorkload {
    /// Reads both of a dump's protocols; the third is one that no node proxy speaks.
    private static final Choices<Workload.TunnelProtocol> PROTOCOLS = Choices.of(
            Workload.TunnelProtocol.class,
            protocol -> protocol == Workload.TunnelProtocol.LEGACY_ISTIO_MTLS
                    ? protocol.name()
                    : DumpSpelling.of(protocol));

    private static final Choices<Workload.NetworkMode> MODES = Choices.of(Workload.NetworkMode.class, DumpSpelling::of);
    private static final Choices<Workload.Type> TYPES = Choices.of(Workload.Type.class, DumpSpelling::of);
    private static final Choices<Workload.Health> HEALTHS = Choices.of(Workload.Health.class, DumpSpelling::of);
    private static final Choices<Workload.ApplicationTunnel.Protocol> TUNNELS =
            Choices.of(Workload.ApplicationTunnel.Protocol.class, Enum::name);

    private LocalWorkload() {}

    static Workload read(Field it) {
        var name = it.at("name").requiredText();
        var namespace = it.at("namespace").text();
        return new Workload(
                it.at("uid").text("Kubernetes//Pod/" + namespace + "/" + name),
                name,
                namespace,
                new WorkloadNetwork(
                        it.at("network").text(),
                        it.at("workloadIps").items().stream().map(LocalMesh::ip).toList(),
                        it.at("hostname").text(),
                        it.at("networkMode").oneOf(MODES, Workload.NetworkMode.STANDARD)),
                new WorkloadTunnel(
                        it.at("protocol").oneOf(PROTOCOLS, Workload.TunnelProtocol.NONE),
                        it.at("nativeTunnel").flag() ? Workload.NativeTunnel.YES : Workload.NativeTunnel.NO,
                        tunnel(it.at("applicationTunnel"))),
                new WorkloadSecurity(
                        it.at("trustDomain").text(),
                        it.at("serviceAccount").text(),
                        it.at("authorizationPolicies").texts()),
                new WorkloadGateways(
                        LocalMesh.gateway(it.at("waypoint")),
                        it.at("hairpin").flag() ? Workload.Hairpin.YES : Workload.Hairpin.NO,
                        LocalMesh.gateway(it.at("networkGateway"))),
                new WorkloadPlace(it.at("clusterId").text(), it.at("node").text(), locality(it.at("locality"))),
                new CanonicalService(
                        it.at("canonicalName").text(),
                        it.at("canonicalRevision").text()),
                new WorkloadOwner(
                        it.at("workloadType").oneOf(TYPES, Workload.Type.DEPLOYMENT),
                        it.at("workloadName").text()),
                it.at("status").oneOf(HEALTHS, Workload.Health.HEALTHY),
                new ServiceMembership(
                        services(it.at("services")),
                        it.at("capacity").integer(0, Integer.MAX_VALUE).orElse(0)));
    }

    /// `{namespace/hostname: {80: 8080}}`, or just the names, as a dump has them.
    private static Map<String, List<Port>> services(Field field) {
        var services = new LinkedHashMap<String, List<Port>>();
        if (field.isList()) {
            field.items().forEach(item -> services.put(key(item, item.text()), List.of()));
        } else {
            field.entries().forEach((name, ports) -> services.put(key(ports, name), LocalMesh.ports(ports)));
        }
        return services;
    }

    private static String key(Field field, String name) {
        if (name.indexOf('/') < 0) {
            throw field.wrong("manifest-bad-value", "names the service \"" + name + "\"", "write namespace/hostname");
        }
        return name;
    }

    private static Optional<Workload.ApplicationTunnel> tunnel(Field field) {
        return field.isPresent()
                ? Optional.of(new Workload.ApplicationTunnel(
                        field.at("protocol").oneOf(TUNNELS),
                        field.at("port").integer(0, 0xffff).orElse(0)))
                : Optional.empty();
    }

    private static Locality locality(Field field) {
        return new Locality(
                field.at("region").text(),
                field.at("zone").text(),
                field.at("subzone").text());
    }
}
