// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Age;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.network.GatewayKind;
import io.fathom.control.ambient.network.Networks;
import io.fathom.control.ambient.waypoint.Attachment.AttachmentReason;
import io.fathom.control.ambient.waypoint.Waypoint.Controller;
import io.fathom.control.ambient.waypoint.Waypoint.Traffic;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Workload.ApplicationTunnel;
import io.fathom.wire.kube.gateway.GatewayClassManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Map;
import java.util.Optional;

/// All Gateways as waypoints, and the question whether something may go through one.
public final class Waypoints {
    private static final AllowedRoutes SAME_NAMESPACE =
            new AllowedRoutes(AllowedRoutes.From.SAME, LabelSelector.EVERYTHING);

    /// The protocol of a listener behind which a waypoint gets its traffic from a node proxy with the PROXY protocol.
    private static final String PROXY = "istio.io/PROXY";

    private final Inputs inputs;
    private final Bypass bypass;
    private final Enforced enforced;
    private final Table<ObjectKey, Waypoint> table;

    /// Which rules for waypoints are ours to enforce.
    public enum Enforced {
        HERE,
        /// In other clusters, by their own control planes.
        ELSEWHERE
    }

    public Waypoints(Flow flow, Inputs inputs, Networks networks, AmbientConfig config, Enforced enforced) {
        this.inputs = inputs;
        this.enforced = enforced;
        this.bypass = enforced == Enforced.HERE ? Bypass.ofMesh(config) : Bypass.ALLOWED;
        table = flow.derive(
                enforced == Enforced.HERE ? "waypoints" : "remote/waypoints", inputs.gateways(), (fetch, gateway) -> {
                    var gatewayClass =
                            fetch.one(inputs.gatewayClasses(), Keys.clusterWide(gateway.key(), gateway.className()));
                    return Optional.of(waypoint(gateway, gatewayClass, networks.of(fetch, gateway.key())));
                });
    }

    /// A row for every Gateway.
    public Table<ObjectKey, Waypoint> table() {
        return table;
    }

    /// Decides what comes of a request.
    public Attachment attach(Fetch<?> fetch, WaypointRequest request, Applicant applicant) {
        if (request.isOptOut()) {
            return Attachment.nothing();
        }
        var cluster = applicant.namespace().cluster();
        return fetch.one(table, new ObjectKey(cluster, request.namespace(), request.name()))
                .map(waypoint -> attach(fetch, waypoint, applicant))
                .orElseGet(() -> new Attachment.Refused(
                        AttachmentReason.NOT_READY, "there is no Gateway " + request.path(), bypass));
    }

    /// Decides whether the applicant may go through a Gateway.
    Attachment attach(Fetch<?> fetch, Waypoint waypoint, Applicant applicant) {
        var gateway = "Gateway " + waypoint.key().path();
        if (waypoint.objection().isPresent()) {
            return new Attachment.Refused(
                    AttachmentReason.DENIED,
                    gateway + " " + waypoint.objection().get(),
                    waypoint.bypass());
        }
        if (waypoint.address().isEmpty()) {
            return new Attachment.Refused(
                    AttachmentReason.NOT_READY,
                    gateway + " has no IP or host name in its status yet",
                    waypoint.bypass());
        }
        var namespace = applicant.namespace();
        var labels = waypoint.admitsBySelector()
                ? fetch.one(inputs.namespaces(), namespace).map(Manifest::labels)
                : Optional.<Map<String, String>>empty();
        if (!waypoint.admits(namespace.name(), labels)) {
            return new Attachment.Refused(
                    AttachmentReason.DENIED,
                    "the listener of " + gateway + " lets no object of namespace " + namespace.name()
                            + " attach; see its allowedRoutes",
                    waypoint.bypass());
        }
        if (!waypoint.serves(applicant.traffic())) {
            return applicant.refused(
                    AttachmentReason.WRONG_TRAFFIC,
                    gateway + " serves \"" + waypoint.serves() + "\"; label it istio.io/waypoint-for="
                            + applicant.traffic().word() + " or all",
                    waypoint.bypass());
        }
        if (!waypoint.isFor(namespace.name(), applicant.accounts())) {
            return applicant.refused(
                    AttachmentReason.DENIED,
                    gateway + " serves service account " + waypoint.account().orElseThrow()
                            + " of its namespace alone; label another, or change its annotation "
                            + Markers.FOR_SERVICE_ACCOUNT,
                    waypoint.bypass());
        }
        return new Attachment.Bound(waypoint.key(), waypoint.address().get(), waypoint.bypass());
    }

    private Waypoint waypoint(GatewayManifest gateway, Optional<GatewayClassManifest> gatewayClass, String network) {
        var account = Optional.ofNullable(gateway.annotations().get(Markers.FOR_SERVICE_ACCOUNT))
                .filter(name -> !name.isBlank());
        var serves = Optional.ofNullable(gateway.labels().get(Markers.WAYPOINT_FOR))
                .or(() -> gatewayClass.map(own -> own.labels().get(Markers.WAYPOINT_FOR)))
                .orElse(account.isPresent() ? Waypoint.EVERYTHING : Traffic.SERVICE.word());
        var binding = Optional.ofNullable(gateway.annotations().get(Markers.INBOUND_BINDING))
                .or(() -> gatewayClass.map(own -> own.annotations().get(Markers.INBOUND_BINDING)))
                .flatMap(InboundBinding::parse);
        var required = Optional.ofNullable(gateway.annotations().get(Markers.REQUIRE_WAYPOINT))
                .or(() -> gatewayClass.map(own -> own.annotations().get(Markers.REQUIRE_WAYPOINT)));
        return new Waypoint(
                Age.of(gateway.metadata()),
                destination(gateway, network).map(found -> new GatewayAddress(found, Waypoint.HBONE_PORT)),
                serves,
                account,
                allowedRoutes(gateway, binding),
                objection(gateway, gatewayClass),
                binding,
                enforced == Enforced.HERE ? bypass.or(required) : bypass,
                isOurs(gateway, gatewayClass) ? Controller.OURS : Controller.FOREIGN);
    }

    private static Optional<String> objection(GatewayManifest gateway, Optional<GatewayClassManifest> gatewayClass) {
        var kind = GatewayKind.of(gateway.className(), gatewayClass);
        return kind == GatewayKind.INGRESS && isSandwiched(gateway) ? Optional.empty() : kind.objection();
    }

    /// Whether node proxies end the tunnels to its pods, and begin those that they need. Clients look for the port of
    /// tunnels among those of its service.
    private static boolean isSandwiched(GatewayManifest gateway) {
        var labels = gateway.infrastructure().labels().orElse(gateway.labels());
        return labels.getOrDefault(Markers.DATAPLANE_MODE, "").equals("ambient")
                && gateway.listeners().stream().anyMatch(listener -> listener.port() == Waypoint.HBONE_PORT);
    }

    private static boolean isOurs(GatewayManifest gateway, Optional<GatewayClassManifest> gatewayClass) {
        return GatewayProfile.of(gateway.className(), gatewayClass.map(GatewayClassManifest::controllerName))
                .filter(profile -> profile != GatewayProfile.INGRESS) // it serves its own routes
                .isPresent();
    }

    /// A host name is preferred: it stays when the address moves.
    private static Optional<GatewayDestination> destination(GatewayManifest gateway, String network) {
        var hostname = gateway.statusAddresses().stream()
                .filter(address -> address.type().equals("Hostname"))
                .<GatewayDestination>map(address ->
                        new GatewayDestination.ByHostname(new NamespacedHostname(gateway.namespace(), address.value())))
                .findFirst();
        return hostname.or(() -> gateway.statusAddresses().stream()
                .filter(address -> address.type().equals("IPAddress"))
                .flatMap(address -> Ip.parse(address.value()).stream())
                .<GatewayDestination>map(ip -> new GatewayDestination.ByAddress(NetworkAddress.of(network, ip)))
                .findFirst());
    }

    /// The listener that its pods are bound to decides: by port, else the one for the PROXY protocol.
    private static AllowedRoutes allowedRoutes(GatewayManifest gateway, Optional<ApplicationTunnel> binding) {
        return binding.flatMap(bound -> gateway.listeners().stream()
                        .filter(listener -> bound.port() == 0
                                ? bound.protocol() == ApplicationTunnel.Protocol.PROXY
                                        && listener.protocol().equals(PROXY)
                                : listener.port() == bound.port())
                        .findFirst())
                .or(() ->
                        gateway.listeners().stream().filter(Waypoints::isHbone).findFirst())
                .map(Listener::allowedRoutes)
                .orElse(SAME_NAMESPACE);
    }

    private static boolean isHbone(Listener listener) {
        return listener.protocol().equals("HBONE") && listener.port() == Waypoint.HBONE_PORT;
    }
}
