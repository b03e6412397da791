// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.input.Hosts;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Interner;
import io.fathom.control.ambient.input.ServiceSharing;
import io.fathom.control.ambient.network.Networks;
import io.fathom.control.ambient.network.RemoteEndpoints;
import io.fathom.control.ambient.service.MemberAccounts.Asking;
import io.fathom.control.ambient.service.ServiceAttachments.AttachmentReach;
import io.fathom.control.ambient.waypoint.GatewayRole;
import io.fathom.control.ambient.waypoint.Namespaces;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.model.peering.ExportedService;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.core.ServiceManifest.Target;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Services of the mesh from Kubernetes Services. An ExternalName is only a DNS alias and gives none.
public final class KubeServices {
    private final AmbientConfig config;
    private final Inputs inputs;
    private final Networks networks;
    private final Namespaces namespaces;
    private final Interner interner;
    private final Table<ObjectKey, ServiceAttachment> attachments;
    private final Table<ObjectKey, ServiceMember> members;
    private final Table<ObjectKey, ExportedService> exports;

    /// @param exports what ServiceExports export, by Service
    public KubeServices(
            Flow flow,
            Inputs inputs,
            Networks networks,
            Namespaces namespaces,
            ServiceAttachments decisions,
            GatewayServices gatewayServices,
            Table<ObjectKey, ExportedService> exports,
            AmbientConfig config,
            Interner interner) {
        this.exports = exports;
        this.config = config;
        this.inputs = inputs;
        this.networks = networks;
        this.namespaces = namespaces;
        this.interner = interner;
        var asking = flow.derive(
                "services/asking-accounts",
                inputs.services(),
                (fetch, service) -> Optional.of(service)
                        .filter(own -> isServed(own)
                                && !namespaces
                                        .defaults(fetch, own.key())
                                        .accounts()
                                        .isEmpty())
                        .map(own -> new Asking(own.key(), own.selector(), gatewayServices.role(fetch, key(own)))));
        var accounts = decisions.members().ofServices(asking);
        attachments = flow.derive(
                "services/attachments",
                inputs.services(),
                (fetch, service) -> Optional.of(service)
                        .filter(KubeServices::isServed)
                        .map(own -> decisions.attach(
                                fetch,
                                own,
                                fetch.own(accounts).orElse(Set.of()),
                                namespaces.defaults(fetch, own.key()),
                                AttachmentReach.EVERY_NAMESPACE,
                                gatewayServices.role(fetch, key(own)))));
        members = flow.derive(
                "services/members",
                inputs.services(),
                (fetch, service) -> Optional.of(service)
                        .filter(KubeServices::isServed)
                        .map(own -> new ServiceMember(
                                own.key().cluster(),
                                own.namespace(),
                                keys(fetch, own, gatewayServices.role(fetch, key(own))),
                                own.selector(),
                                own.ports(),
                                gatewayServices.role(fetch, key(own)),
                                fetch.own(inputs.sharing()).isPresent() ? Scope.GLOBAL : Scope.LOCAL,
                                Fronts.of(fetch.own(attachments).orElseThrow()))));
    }

    /// What came of each Service's wish for a waypoint; a row for every Service that is served.
    public Table<ObjectKey, ServiceAttachment> attachments() {
        return attachments;
    }

    /// For joins with workloads; a row for every Service that is served.
    public Table<ObjectKey, ServiceMember> members() {
        return members;
    }

    /// The services by resource name.
    public Table<String, Service> served(Flow flow, Inputs inputs, RemoteEndpoints remote) {
        return flow.rekey("services/served-by-name", byManifest(flow, inputs, remote), (_, service) -> service.key());
    }

    /// The same by their objects.
    public Table<ObjectKey, Service> byManifest(Flow flow, Inputs inputs, RemoteEndpoints remote) {
        return flow.derive(
                "services/served",
                inputs.services(),
                (fetch, service) ->
                        fetch.own(attachments).map(attachment -> service(fetch, service, attachment, remote)));
    }

    /// The ports of services that belong to all clusters, by their names in Kubernetes. Our gateways let others in by
    /// either name, so all of ours are there.
    public Table<String, List<Port>> global(Flow flow, Inputs inputs) {
        return flow.deriveMany(
                "services/global",
                inputs.services(),
                (fetch, service) -> isServed(service)
                                && fetch.own(inputs.sharing())
                                        .filter(own -> inputs.areOurs() || own.withKubernetesName())
                                        .isPresent()
                        ? Map.of(key(service), ports(service))
                        : Map.of());
    }

    /// Our own have all their names. Those of other clusters have the ones by which all clusters are meant.
    private List<String> keys(Fetch<ObjectKey> fetch, ServiceManifest service, Optional<GatewayRole> role) {
        var sharing = fetch.own(inputs.sharing());
        var keys = new ArrayList<String>(3);
        if (inputs.areOurs()
                || sharing.filter(ServiceSharing::withKubernetesName).isPresent()) {
            keys.add(key(service));
        }
        if (sharing.isPresent() && role.isEmpty() && config.has(Feature.MESH_WIDE_NAMES)) {
            keys.add(Hosts.meshKeyOf(service.namespace(), service.name()));
        }
        if (fetch.own(exports).isPresent() && config.has(Feature.MCS_HOSTS)) {
            keys.add(Hosts.clusterSetKeyOf(service.namespace(), service.name()));
        }
        return keys;
    }

    private Service service(
            Fetch<ObjectKey> fetch, ServiceManifest service, ServiceAttachment attachment, RemoteEndpoints remote) {
        var network = networks.of(fetch, service.key());
        var defaults = namespaces.defaults(fetch, service.key());
        var sharing = fetch.own(inputs.sharing());
        var isGlobal = sharing.filter(ServiceSharing::withKubernetesName).isPresent();
        var isTakenOver = sharing.filter(ServiceSharing.TAKEN_OVER::equals).isPresent();
        var addresses = service.clusterIps().stream()
                .map(ip -> NetworkAddress.of(network, ip))
                .toList();
        return new Service(
                service.name(),
                service.namespace(),
                Hosts.nameOf(service.key(), config.domain()),
                isGlobal ? remote.merged(fetch, key(service), addresses) : addresses,
                interner.share(ports(service)),
                isGlobal ? remote.identities(fetch, key(service)) : List.of(),
                new ServiceWaypoints(attachment.primary().address(), attachment.weighted(), attachment.ingress()),
                TrafficDistribution.of(
                        service,
                        defaults.distribution(),
                        isTakenOver ? TrafficDistribution.WITHIN_NETWORK : LoadBalancing.NONE),
                families(service.ipFamilies()),
                Service.Canonical.YES,
                Service.Visibility.PUBLIC);
    }

    /// As node proxies see them.
    public static List<Port> ports(ServiceManifest service) {
        return service.ports().stream().map(KubeServices::port).toList();
    }

    /// As node proxies see it.
    public static Port port(ServicePort port) {
        var target = switch (port.target()) {
            case Target.ByNumber(int number) -> number;
            case Target.ByName _ -> 0;
        };
        return new Port(port.number(), target, AppProtocols.of(port));
    }

    private static Service.IpFamilies families(List<Ip.Family> families) {
        return switch (families.size()) {
            case 0 -> Service.IpFamilies.AUTOMATIC;
            case 1 -> families.getFirst() == Ip.Family.V4 ? Service.IpFamilies.IPV4_ONLY : Service.IpFamilies.IPV6_ONLY;
            default -> Service.IpFamilies.DUAL;
        };
    }

    /// The resource name of a Service.
    public String keyOf(ServiceManifest service) {
        return key(service);
    }

    /// The Gateway in front of the Service that is derived from.
    public Optional<ObjectKey> waypoint(Fetch<ObjectKey> fetch) {
        return fetch.own(attachments).map(Fronts::of).flatMap(Fronts::waypoint);
    }

    private String key(ServiceManifest service) {
        return Hosts.keyOf(service.key(), config.domain());
    }

    private static boolean isServed(ServiceManifest service) {
        return service.type() != ServiceManifest.Type.EXTERNAL_NAME;
    }
}
