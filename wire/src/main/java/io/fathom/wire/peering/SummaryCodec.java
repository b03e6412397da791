// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.peering.ServiceEndpoints.PeerEndpoint;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.proto.peering.Cluster;
import io.fathom.wire.proto.peering.Endpoints;
import io.fathom.wire.proto.peering.Service;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Summaries to and from resources. Equal values give equal bytes, and so equal versions on every replica and after
/// each restart. Thread-safe.
public final class SummaryCodec {
    public static final XdsType CLUSTER = XdsType.PEER_CLUSTER;
    public static final XdsType SERVICE = XdsType.PEER_SERVICE;

    public static final XdsType ENDPOINTS = XdsType.PEER_ENDPOINTS;

    private static final String CLUSTER_NAME = "cluster";
    /// This host, links, groups.
    private static final List<IpBlock> NOBODYS = Stream.of(
                    "0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3", "::/127", "fe80::/10", "ff00::/8")
            .flatMap(text -> IpBlock.parse(text).stream())
            .toList();
    private static final int MOST_ISSUERS = 64;
    private static final int MOST_ENDPOINTS = 10_000_000;
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern WORD = Pattern.compile("[A-Za-z]{0,63}");
    private static final Pattern ACCOUNT = Pattern.compile("[a-z0-9][-a-z0-9]{0,62}/[a-z0-9][-.a-z0-9]{0,252}");

    private SummaryCodec() {}

    public static XdsResource resource(ClusterSummary cluster) {
        var message = Cluster.newBuilder()
                .setName(cluster.cluster())
                .setNetwork(cluster.network())
                .setTrustDomain(cluster.trustDomain());
        cluster.issuers().stream()
                .sorted()
                .forEach(key ->
                        message.addIssuerKeys(ByteString.copyFrom(HexFormat.of().parseHex(key))));
        return XdsResource.of(CLUSTER_NAME, message.build());
    }

    public static XdsResource resource(ServiceSummary service) {
        var message = Service.newBuilder()
                .setNamespace(service.namespace())
                .setName(service.name())
                .setTotal(service.total())
                .addAllAccounts(service.accounts())
                .setDistribution(service.distribution())
                .setScope(
                        switch (service.scope()) {
                            case SHARED_NAME -> Service.Scope.SHARED_NAME;
                            case MESH_NAME -> Service.Scope.MESH_NAME;
                            case BOTH_NAMES -> Service.Scope.BOTH_NAMES;
                        });
        for (var port : service.ports()) {
            message.addPorts(message(port));
        }
        for (var share : service.shares()) {
            message.addShares(Service.Share.newBuilder()
                    .setRegion(share.locality().region())
                    .setZone(share.locality().zone())
                    .setSubzone(share.locality().subzone())
                    .setReady(share.ready()));
        }
        service.export().ifPresent(export -> message.setExport(ExportCodec.message(export)));
        return XdsResource.of(service.path(), message.build());
    }

    public static XdsResource resource(ServiceEndpoints service) {
        var message = Endpoints.newBuilder().setNamespace(service.namespace()).setName(service.name());
        for (var endpoint : service.endpoints()) {
            var place = endpoint.locality();
            var one = Endpoints.Endpoint.newBuilder()
                    .setAccount(endpoint.account())
                    .setTunnel(endpoint.tunnel() == Workload.TunnelProtocol.HBONE)
                    .setReady(endpoint.health() == Workload.Health.HEALTHY)
                    .setRegion(place.region())
                    .setZone(place.zone())
                    .setSubzone(place.subzone())
                    .setCapacity(endpoint.capacity());
            endpoint.addresses().forEach(ip -> one.addAddresses(ByteString.copyFrom(ip.bytes())));
            endpoint.ports().forEach(port -> one.addPorts(message(port)));
            message.addEndpoints(one);
        }
        return XdsResource.of(service.path(), message.build());
    }

    private static Service.Port message(Port port) {
        return Service.Port.newBuilder()
                .setPort(port.servicePort())
                .setTarget(port.targetPort())
                .setProtocol(protocol(port.appProtocol()))
                .build();
    }

    /// Reads what a peer says of the endpoints of a service. Addresses that can be nobody's on a network are refused.
    ///
    /// @param resource as of the service
    /// @throws ProblemException when it is nothing of the kind
    static ServiceEndpoints endpoints(String resource, ByteString bytes) {
        Endpoints message;
        try {
            message = Endpoints.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw malformed(resource, String.valueOf(e.getMessage()));
        }
        check(resource, LABEL.matcher(message.getNamespace()).matches(), "its namespace is no name");
        check(resource, LABEL.matcher(message.getName()).matches(), "its name is none");
        check(resource, resource.equals(message.getNamespace() + "/" + message.getName()), "it describes another one");
        return new ServiceEndpoints(
                message.getNamespace(),
                message.getName(),
                message.getEndpointsList().stream()
                        .map(endpoint -> endpoint(resource, endpoint))
                        .toList());
    }

    private static PeerEndpoint endpoint(String resource, Endpoints.Endpoint endpoint) {
        check(resource, endpoint.getAddressesCount() > 0, "one of its endpoints has no address");
        check(resource, ACCOUNT.matcher(endpoint.getAccount()).matches(), "one of its accounts is no namespace/name");
        check(
                resource,
                endpoint.getCapacity() > 0 && endpoint.getCapacity() <= MOST_ENDPOINTS,
                "one of its endpoints can do nothing");
        return new PeerEndpoint(
                endpoint.getAddressesList().stream()
                        .map(address -> address(resource, address))
                        .toList(),
                endpoint.getAccount(),
                endpoint.getPortsList().stream()
                        .map(port -> port(resource, port))
                        .toList(),
                endpoint.getTunnel() ? Workload.TunnelProtocol.HBONE : Workload.TunnelProtocol.NONE,
                endpoint.getReady() ? Workload.Health.HEALTHY : Workload.Health.UNHEALTHY,
                new Locality(endpoint.getRegion(), endpoint.getZone(), endpoint.getSubzone()),
                endpoint.getCapacity());
    }

    private static Ip address(String resource, ByteString bytes) {
        check(resource, bytes.size() == 4 || bytes.size() == 16, "one of its addresses is none");
        var ip = Ip.ofBytes(bytes.toByteArray());
        check(
                resource,
                NOBODYS.stream().noneMatch(block -> block.contains(ip.unmapped())),
                ip + " is no address of a pod");
        return ip;
    }

    /// Reads what a peer says of itself.
    ///
    /// @throws ProblemException when it is nothing of the kind
    static ClusterSummary cluster(ByteString bytes) {
        try {
            var message = Cluster.parseFrom(bytes);
            return new ClusterSummary(
                    message.getName(),
                    message.getNetwork(),
                    message.getTrustDomain(),
                    message.getIssuerKeysList().stream()
                            .limit(MOST_ISSUERS)
                            .map(key -> HexFormat.of().formatHex(key.toByteArray()))
                            .collect(Collectors.toSet()));
        } catch (InvalidProtocolBufferException e) {
            throw malformed("a cluster", String.valueOf(e.getMessage()));
        }
    }

    /// Reads what a peer says of a service.
    ///
    /// @param resource how it is called; what it says has to fit
    /// @throws ProblemException when it is nothing of the kind
    static ServiceSummary service(String resource, ByteString bytes) {
        Service message;
        try {
            message = Service.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw malformed(resource, String.valueOf(e.getMessage()));
        }
        check(resource, LABEL.matcher(message.getNamespace()).matches(), "its namespace is no name");
        check(resource, LABEL.matcher(message.getName()).matches(), "its name is none");
        check(resource, resource.equals(message.getNamespace() + "/" + message.getName()), "it describes another one");
        check(resource, message.getScope() != Service.Scope.UNRECOGNIZED, "its scope is not known here");
        check(resource, WORD.matcher(message.getDistribution()).matches(), "its distribution is no word");
        check(
                resource,
                message.getAccountsList().stream()
                        .allMatch(account -> ACCOUNT.matcher(account).matches()),
                "one of its accounts is no namespace/name");
        check(
                resource,
                message.getSharesList().stream().allMatch(share -> share.getReady() > 0)
                        && message.getSharesList().stream()
                                        .mapToLong(Service.Share::getReady)
                                        .sum()
                                <= MOST_ENDPOINTS,
                "its numbers of endpoints make no sense");
        return new ServiceSummary(
                message.getNamespace(),
                message.getName(),
                message.getPortsList().stream()
                        .map(port -> port(resource, port))
                        .toList(),
                message.getSharesList().stream()
                        .map(share -> new ServiceSummary.LocalityShare(
                                new Locality(share.getRegion(), share.getZone(), share.getSubzone()), share.getReady()))
                        .toList(),
                message.getTotal(),
                message.getAccountsList(),
                switch (message.getScope()) {
                    case MESH_NAME -> ServiceSummary.NameScope.MESH_NAME;
                    case BOTH_NAMES -> ServiceSummary.NameScope.BOTH_NAMES;
                    case SHARED_NAME, UNRECOGNIZED -> ServiceSummary.NameScope.SHARED_NAME;
                },
                message.getDistribution(),
                message.hasExport()
                        ? Optional.of(ExportCodec.export(resource, message.getExport()))
                        : Optional.empty());
    }

    private static Port port(String resource, Service.Port port) {
        check(resource, isPort(port.getPort()) && port.getPort() > 0, "one of its ports is none");
        check(resource, isPort(port.getTarget()), "one of its ports leads nowhere");
        return new Port(port.getPort(), port.getTarget(), protocol(port.getProtocol()));
    }

    private static Service.Protocol protocol(AppProtocol protocol) {
        return switch (protocol) {
            case UNKNOWN -> Service.Protocol.UNKNOWN;
            case HTTP11 -> Service.Protocol.HTTP1;
            case HTTP2 -> Service.Protocol.HTTP2;
            case GRPC -> Service.Protocol.GRPC;
            case TCP -> Service.Protocol.TCP;
            case TLS -> Service.Protocol.TLS;
        };
    }

    private static AppProtocol protocol(Service.Protocol protocol) {
        return switch (protocol) {
            case HTTP1 -> AppProtocol.HTTP11;
            case HTTP2 -> AppProtocol.HTTP2;
            case GRPC -> AppProtocol.GRPC;
            case TCP -> AppProtocol.TCP;
            case TLS -> AppProtocol.TLS;
            // one that newer versions know is one that we need not know
            case UNKNOWN, UNRECOGNIZED -> AppProtocol.UNKNOWN;
        };
    }

    private static boolean isPort(int number) {
        return number >= 0 && number <= 65535;
    }

    static void check(String resource, boolean fine, String objection) {
        if (!fine) {
            throw malformed(resource, objection);
        }
    }

    static ProblemException malformed(String resource, String reason) {
        return new ProblemException(new Problem(
                "peer-summary-refused",
                resource + " of a peer is not taken in: " + reason,
                "check that both clusters run versions that know each other",
                Problem.Origin.SERVER,
                Problem.Retry.POINTLESS));
    }
}
