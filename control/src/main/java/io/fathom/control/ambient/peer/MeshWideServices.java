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
import io.fathom.control.ambient.input.MeshNames;
import io.fathom.control.ambient.service.GatewayServices;
import io.fathom.control.ambient.service.KubeServices;
import io.fathom.control.ambient.vip.MeshAddresses;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Port;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.manifest.Transport;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest.AssignedAddress;
import io.fathom.wire.kube.networking.ServiceEntryManifest.EntryPort;
import io.fathom.wire.kube.networking.ServiceEntryManifest.Resolution;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The mesh-wide name of each service that belongs to all clusters, `NAME.NAMESPACE.mesh.internal`, as the ServiceEntry
/// that a user would write for it. It is there as long as any cluster has the service.
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

    /// @param distribution as an annotation says it; empty for the usual one
    private record Description(String namespace, String name, List<EntryPort> ports, String distribution) {
        String host() {
            return Hosts.meshNameOf(namespace, name);
        }
    }

    private final AmbientConfig config;
    private final Table<ObjectKey, ServiceEntryManifest> entries;

    public MeshWideServices(
            Flow flow,
            Inputs inputs,
            Inputs others,
            PeerSources peers,
            GatewayServices gateways,
            AmbientConfig config) {
        this.config = config;
        if (!config.has(Feature.MESH_WIDE_NAMES)) {
            entries = flow.source("mesh-names/entries");
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
                "mesh-names/of-other-clusters", others.services(), (fetch, service) -> description(service));
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
                                (key, service) -> new Speaker(
                                        2, new ObjectKey(key.cluster(), service.namespace(), service.name())))));
        var names = flow.reduce(
                "mesh-names",
                flow.index("mesh-names/by-host", all, service -> Set.of(service.host())),
                (_, _, descriptions) -> Optional.of(descriptions.getFirst()));
        var addresses = config.has(Feature.ADDRESS_ALLOCATION)
                ? MeshAddresses.table(flow, names, config.ipv4Range(), config.ipv6Range())
                : flow.<String, List<Ip>>source("mesh-names/addresses");
        entries = flow.rekey(
                "mesh-names/entries",
                flow.derive(
                        "mesh-names/entries-by-host",
                        names,
                        (fetch, service) ->
                                Optional.of(entry(service, fetch.own(addresses).orElse(List.of())))),
                (_, entry) -> entry.key());
    }

    /// By keys that no object of a user has; see [MeshNames].
    public Table<ObjectKey, ServiceEntryManifest> entries() {
        return entries;
    }

    private static Optional<Description> description(ServiceManifest service) {
        if (service.type() == ServiceManifest.Type.EXTERNAL_NAME) {
            return Optional.empty();
        }
        var ports = new ArrayList<EntryPort>();
        for (int i = 0; i < service.ports().size(); i++) {
            ports.add(port(service.ports().get(i), KubeServices.ports(service).get(i)));
        }
        return Optional.of(new Description(service.namespace(), service.name(), ports, distribution(service)));
    }

    /// Names of namespaces that are not discovered here stay unknown, and so do those that our own cluster keeps to
    /// itself.
    private Optional<Description> description(Fetch<PeerServiceKey> fetch, Inputs inputs, ServiceSummary summary) {
        var twin = new ObjectKey(config.clusterId(), summary.namespace(), summary.name());
        if (!fetch.one(inputs.discovered(), Keys.namespaceOf(twin)).orElse(true) || !inputs.permits(fetch, twin)) {
            return Optional.empty();
        }
        return Optional.of(new Description(
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

    private static EntryPort port(ServicePort declared, Port port) {
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

    /// Older than any other, so that nobody takes the name away.
    private ServiceEntryManifest entry(Description service, List<Ip> addresses) {
        var key = MeshNames.entryOf(new ObjectKey(config.clusterId(), service.namespace(), service.name()));
        return new ServiceEntryManifest(
                new Metadata(
                        key,
                        "",
                        Map.of(),
                        service.distribution().isEmpty()
                                ? Map.of()
                                : Map.of(Markers.TRAFFIC_DISTRIBUTION, service.distribution()),
                        Instant.EPOCH,
                        Metadata.Lifecycle.ACTIVE),
                List.of(service.host()),
                List.of(),
                service.ports(),
                Resolution.STATIC,
                List.of(),
                Map.of(),
                List.of(),
                addresses.stream()
                        .map(ip -> new AssignedAddress(ip.toString(), service.host()))
                        .toList());
    }
}
