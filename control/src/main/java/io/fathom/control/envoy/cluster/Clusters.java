// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.Struct;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.envoyproxy.envoy.config.core.v3.TransportSocket;
import io.fathom.control.envoy.cluster.ProtocolOptions.Speech;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.ClusterName.ClusterLayer;
import io.fathom.control.envoy.view.Member;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.wire.kube.networking.DestinationRuleManifest.Subset;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConnectionPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// Clusters of services. Pure: the same service, rules and settings give the same messages.
public final class Clusters {
    private final ProxySettings settings;

    public Clusters(ProxySettings settings) {
        this.settings = settings;
    }

    /// For a port of a service that a waypoint stands in front of: for HTTP, for TCP, or for both where the protocol
    /// has to be found out; each with its subsets.
    ///
    /// @param members only asked for when the cluster itself lists its endpoints: see [#listsMembers]
    public List<BuiltCluster> behindWaypoint(
            MeshService service, ServicePort port, ServiceTraffic traffic, Supplier<List<Member>> members) {
        var clusters = new ArrayList<BuiltCluster>();
        for (var layer : layers(port)) {
            for (var subset : subsets(traffic)) {
                var name = ClusterName.behindWaypoint(port.number(), layer, subset.name(), service.hostname());
                clusters.add(
                        build(new Draft(name, layer, ProxyRole.WAYPOINT, service, port, subset, traffic, members)));
            }
        }
        return clusters;
    }

    /// For a port of a service that an east-west gateway hands tunnels on to. Rules of users do not count: they were
    /// applied before, or will be behind it.
    public BuiltCluster behindGateway(MeshService service, ServicePort port) {
        var name = ClusterName.behindWaypoint(port.number(), ClusterLayer.TCP, "", service.hostname());
        var all = subsets(ServiceTraffic.NONE).getFirst();
        return build(new Draft(
                name, ClusterLayer.TCP, ProxyRole.EAST_WEST, service, port, all, ServiceTraffic.NONE, List::of));
    }

    /// For a port of a service that the proxy is only a client of, with its subsets.
    ///
    /// @param members only asked for when the cluster itself lists its endpoints: see [#listsMembers]
    public List<BuiltCluster> outbound(
            ProxyRole role,
            MeshService service,
            ServicePort port,
            ServiceTraffic traffic,
            Supplier<List<Member>> members) {
        var layer = layers(port).getFirst();
        return subsets(traffic).stream()
                .map(subset -> build(new Draft(
                        ClusterName.outbound(port.number(), subset.name(), service.hostname()),
                        layer,
                        role,
                        service,
                        port,
                        subset,
                        traffic,
                        members)))
                .toList();
    }

    /// What a port may have to be treated as; HTTP comes first.
    public static List<ClusterLayer> layers(ServicePort port) {
        return switch (port.protocol()) {
            case HTTP11, HTTP2, GRPC -> List.of(ClusterLayer.HTTP);
            case TCP, TLS -> List.of(ClusterLayer.TCP);
            case UNKNOWN -> List.of(ClusterLayer.HTTP, ClusterLayer.TCP);
        };
    }

    /// Whether clusters of the service list their members themselves, so that they change with them.
    public static boolean listsMembers(MeshService service) {
        return switch (service.resolution()) {
            case DNS, DNS_ROUND_ROBIN -> true;
            case ENDPOINTS, NONE, DYNAMIC_DNS -> false;
        };
    }

    /// The whole service, then its parts.
    private static List<Subset> subsets(ServiceTraffic traffic) {
        var subsets = new ArrayList<Subset>();
        subsets.add(new Subset("", Map.of(), TrafficPolicy.NONE, Map.of()));
        subsets.addAll(traffic.subsets());
        return subsets;
    }

    /// All that one cluster is made from.
    private record Draft(
            ClusterName name,
            ClusterLayer layer,
            ProxyRole role,
            MeshService service,
            ServicePort port,
            Subset subset,
            ServiceTraffic traffic,
            Supplier<List<Member>> members) {
        TrafficPolicy policy() {
            return traffic.policy(port.number(), subset.name());
        }

        EndpointPlan plan(ProxySettings settings) {
            return new EndpointPlan(
                    name,
                    role,
                    service.service().key(),
                    port.number(),
                    subset.labels(),
                    Placement.of(policy(), service, settings.mesh().locality()));
        }
    }

    private BuiltCluster build(Draft draft) {
        var policy = draft.policy();
        var plan = draft.plan(settings);
        var name = draft.name().toString();
        var cluster = Cluster.newBuilder()
                .setName(name)
                .setAltStatName(name + ";") // the mark after which tag patterns stop
                .setConnectTimeout(Protos.duration(policy.connectionPool()
                        .map(ConnectionPool::tcp)
                        .flatMap(TrafficPolicy.TcpPool::connectTimeout)
                        .orElse(settings.connectTimeout())))
                .setCircuitBreakers(ConnectionLimits.of(policy))
                .setMetadata(metadata(draft));
        LoadBalancers.apply(cluster, policy, plan.placement());
        Discovery.apply(cluster, draft.service(), policy, plan, draft.members());
        policy.outlierDetection().ifPresent(outliers -> cluster.setOutlierDetection(Outliers.of(outliers)));
        ConnectionLimits.keepalive(policy, settings.mesh()).ifPresent(cluster::setUpstreamConnectionOptions);
        var speech = ProtocolOptions.speech(
                draft.port().protocol(), policy, draft.role(), settings.mesh().upgrade());
        var tls = tls(draft, policy, speech);
        var names = tls.flatMap(UpstreamTls::names);
        if (draft.layer() == ClusterLayer.HTTP || names.isPresent()) { // routes may lead requests to a port for TLS
            cluster.putTypedExtensionProtocolOptions(ProtocolOptions.KEY, ProtocolOptions.of(speech, policy, names));
        }
        connect(cluster, draft, policy, tls);
        return new BuiltCluster(
                draft.name(),
                cluster.build(),
                Optional.of(plan).filter(_ -> cluster.getType() == Cluster.DiscoveryType.EDS));
    }

    private Optional<UpstreamTls> tls(Draft draft, TrafficPolicy policy, Speech speech) {
        var spoken = draft.layer() == ClusterLayer.HTTP ? speech : Speech.HTTP1;
        return draft.traffic()
                .backendTls(draft.port())
                .map(tls -> UpstreamTls.of(tls, spoken, settings))
                .or(() -> policy.tls().flatMap(tls -> UpstreamTls.of(tls, spoken, settings)));
    }

    private static void connect(Cluster.Builder cluster, Draft draft, TrafficPolicy policy, Optional<UpstreamTls> tls) {
        var inside = tls.map(own -> TransportSockets.tls(own.context())).orElse(TransportSockets.RAW);
        TransportSocket socket = policy.proxyProtocol()
                .map(version -> TransportSockets.withHeader(version, inside))
                .orElse(inside);
        if (draft.name().direction() == ClusterName.Direction.INBOUND_VIP) {
            cluster.setTransportSocket(TransportSockets.toEndpoint(socket));
        } else if (cluster.getType() == Cluster.DiscoveryType.EDS) {
            cluster.addAllTransportSocketMatches(
                    TransportSockets.byEndpoint(socket, tls.isPresent() ? "user" : "tlsMode-disabled"));
        } else {
            cluster.setTransportSocket(socket);
        }
    }

    /// Where it comes from, for tools and metrics.
    private static Metadata metadata(Draft draft) {
        var service = draft.service();
        var about = Struct.newBuilder();
        draft.traffic()
                .rule()
                .ifPresent(rule -> about.putFields(
                        "config",
                        Protos.text("/apis/networking.istio.io/v1/namespaces/"
                                + rule.source().namespace() + "/destination-rule/"
                                + rule.source().name())));
        about.putFields(
                "services",
                Protos.list(List.of(Protos.nested(Protos.struct(Map.of(
                        "host", service.hostname(),
                        "name", service.service().name(),
                        "namespace", service.namespace()))))));
        if (!draft.subset().name().isEmpty()) {
            about.putFields("subset", Protos.text(draft.subset().name()));
        }
        return Metadata.newBuilder()
                .putFilterMetadata(Endpoints.ISTIO, about.build())
                .build();
    }
}
