// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.peer;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.input.Hosts;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.service.GatewayServices;
import io.fathom.control.ambient.service.KubeServices;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.manifest.Transport;
import io.fathom.wire.kube.networking.ServiceEntryManifest.EntryPort;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The mesh-wide name of each service that belongs to all clusters, `NAME.NAMESPACE.mesh.internal`. It is there as long
/// as any cluster has the service.
///
/// Our own Service says what it is like; where we have none, that of the cluster whose name is the smallest.
public final class MeshWideServices {
    /// Who says what a service is like: ours first, then clusters whose objects we read, then those that tell us.
    private record Speaker(int rank, ObjectKey service) implements Comparable<Speaker> {
        private static final Comparator<Speaker> ORDER =
                Comparator.comparingInt(Speaker::rank).thenComparing(Speaker::service);

        @Override
        public int compareTo(Speaker other) {
            return ORDER.compare(this, other);
        }
    }

    private final AmbientConfig config;
    private final Table<String, MeshName> names;

    public MeshWideServices(
            Flow flow,
            Inputs inputs,
            Inputs others,
            PeerSources peers,
            GatewayServices gateways,
            AmbientConfig config) {
        this.config = config;
        if (!config.has(Feature.MESH_WIDE_NAMES)) {
            names = flow.source("mesh-names/mesh-wide");
            return;
        }
        var own = flow.derive(
                "mesh-names/own",
                inputs.services(),
                (fetch, service) -> fetch.own(inputs.sharing())
                        .filter(_ -> gateways.role(fetch, Hosts.keyOf(service.key(), config.domain()))
                                .isEmpty())
                        .flatMap(_ -> description(service)));
        var elsewhere = flow.derive(
                "mesh-names/of-other-clusters",
                others.services(),
                (fetch, service) -> fetch.own(others.sharing()).flatMap(_ -> description(service)));
        var told = flow.derive(
                "mesh-names/of-peers", peers.services(), (fetch, summary) -> description(fetch, inputs, summary));
        var all = flow.join(
                "mesh-names/descriptions",
                List.of(
                        flow.rekey("mesh-names/own-speakers", own, (key, _) -> new Speaker(0, key)),
                        flow.rekey("mesh-names/other-speakers", elsewhere, (key, _) -> new Speaker(1, key)),
                        flow.rekey(
                                "mesh-names/peer-speakers",
                                told,
                                (key, name) -> new Speaker(
                                        2,
                                        new ObjectKey(
                                                key.cluster(),
                                                name.service().namespace(),
                                                name.service().name())))));
        names = flow.reduce(
                "mesh-names/mesh-wide",
                flow.index("mesh-names/by-host", all, name -> Set.of(name.host())),
                (_, _, descriptions) -> Optional.of(descriptions.getFirst()));
    }

    /// By host.
    public Table<String, MeshName> names() {
        return names;
    }

    private Optional<MeshName> description(ServiceManifest service) {
        if (service.type() == ServiceManifest.Type.EXTERNAL_NAME) {
            return Optional.empty();
        }
        var ports = service.ports().stream().map(MeshWideServices::entryPort).toList();
        return Optional.of(name(service.namespace(), service.name(), ports, distribution(service)));
    }

    /// Names of namespaces that are not discovered here stay unknown, and so do those that our own cluster keeps to
    /// itself.
    private Optional<MeshName> description(Fetch<PeerServiceKey> fetch, Inputs inputs, ServiceSummary summary) {
        var twin = new ObjectKey(config.clusterId(), summary.namespace(), summary.name());
        if (!fetch.one(inputs.discovered(), Keys.namespaceOf(twin)).orElse(true) || !inputs.permits(fetch, twin)) {
            return Optional.empty();
        }
        return Optional.of(name(
                summary.namespace(),
                summary.name(),
                summary.ports().stream()
                        .map(port -> new EntryPort(
                                "port-" + port.servicePort(),
                                port.servicePort(),
                                word(port.appProtocol()),
                                port.targetPort()))
                        .toList(),
                summary.distribution()));
    }

    /// What a Service wishes, as an annotation says it; empty for nothing.
    static String distribution(ServiceManifest service) {
        return service.trafficDistribution().isEmpty()
                ? service.annotations().getOrDefault(Markers.TRAFFIC_DISTRIBUTION, "")
                : service.trafficDistribution();
    }

    /// A port as a ServiceEntry declares it.
    public static EntryPort entryPort(ServicePort declared) {
        var port = KubeServices.port(declared);
        var protocol = declared.transport() == Transport.UDP ? "UDP" : word(port.appProtocol());
        return new EntryPort(declared.name(), port.servicePort(), protocol, port.targetPort());
    }

    private static String word(AppProtocol protocol) {
        return switch (protocol) {
            case UNKNOWN -> "";
            case HTTP11 -> "HTTP";
            case HTTP2 -> "HTTP2";
            case GRPC -> "GRPC";
            case TCP -> "TCP";
            case TLS -> "TLS";
        };
    }

    private MeshName name(String namespace, String name, List<EntryPort> ports, String distribution) {
        return new MeshName(
                Hosts.meshNameOf(namespace, name),
                new ObjectKey(config.clusterId(), namespace, name),
                MeshName.NameForm.MESH_WIDE,
                ports,
                distribution);
    }
}
