// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.base.flow.Fetch;
import io.fathom.base.lang.Truth;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.waypoint.Applicant;
import io.fathom.control.ambient.waypoint.Attachment;
import io.fathom.control.ambient.waypoint.Attachment.AttachmentReason;
import io.fathom.control.ambient.waypoint.Bypass;
import io.fathom.control.ambient.waypoint.GatewayRole;
import io.fathom.control.ambient.waypoint.NamespaceDefaults;
import io.fathom.control.ambient.waypoint.Waypoint.Traffic;
import io.fathom.control.ambient.waypoint.WaypointRequest;
import io.fathom.control.ambient.waypoint.Waypoints;
import io.fathom.model.mesh.Service.IngressWaypoint;
import io.fathom.model.mesh.Service.WeightedWaypoint;
import io.fathom.wire.kube.manifest.Manifest;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Decides which waypoints stand in front of a Service or ServiceEntry: its own labels, else the service accounts of
/// its workloads, else the labels of its namespace.
public final class ServiceAttachments {
    /// Which waypoints are acceptable to the object itself.
    enum AttachmentReach {
        EVERY_NAMESPACE,
        OWN_NAMESPACE
    }

    private final Waypoints waypoints;
    private final MemberAccounts members;

    public ServiceAttachments(Waypoints waypoints, MemberAccounts members) {
        this.waypoints = waypoints;
        this.members = members;
    }

    MemberAccounts members() {
        return members;
    }

    /// @param accounts of its workloads
    /// @param role of the object in making a Gateway work: traffic to it must not go through another
    ServiceAttachment attach(
            Fetch<?> fetch,
            Manifest object,
            Set<String> accounts,
            NamespaceDefaults defaults,
            AttachmentReach reach,
            Optional<GatewayRole> role) {
        var own = WaypointRequest.of(object.labels(), object.namespace());
        if (isManagedGateway(object) || role.isPresent()) {
            return ServiceAttachment.without(own.filter(request -> !request.isOptOut())
                    .<Attachment>map(request -> Attachment.loop(request, role.map(GatewayRole::gateway)))
                    .orElse(Attachment.nothing()));
        }
        var applicant = Applicant.object(object.key(), Traffic.SERVICE, accounts);
        var primary = restrict(
                own.map(request -> waypoints.attach(fetch, request, applicant))
                        .orElseGet(() -> defaults.accounts().over(defaults.waypoint(), accounts)),
                object,
                reach);
        if (!(primary instanceof Attachment.Bound bound)) {
            return ServiceAttachment.without(primary);
        }
        var ingress = bound.bypass() == Bypass.FORBIDDEN
                        || Optional.ofNullable(object.labels().get(Markers.INGRESS_USE_WAYPOINT))
                                .or(defaults::ingress)
                                .flatMap(Truth::parse)
                                .orElse(false)
                ? IngressWaypoint.USED
                : IngressWaypoint.SKIPPED;
        var inherits = own.isEmpty() && bound.equals(defaults.waypoint());
        var canary = WaypointRequest.canaryOf(object.labels(), object.namespace())
                .or(() -> inherits ? defaults.canary() : Optional.empty());
        if (canary.isEmpty()) {
            return new ServiceAttachment(bound, List.of(), Optional.empty(), Optional.empty(), ingress);
        }
        var weight = Optional.ofNullable(object.annotations().get(Markers.CANARY_WEIGHT))
                .or(() -> inherits ? defaults.canaryWeight() : Optional.empty())
                .orElse("0");
        var second = restrict(waypoints.attach(fetch, canary.get(), applicant), object, reach);
        return withCanary(bound, ingress, canary.get(), second, weight);
    }

    private static ServiceAttachment withCanary(
            Attachment.Bound primary,
            IngressWaypoint ingress,
            WaypointRequest canary,
            Attachment attachment,
            String weightText) {
        if (!weightText.matches("\\+?0*(100|[0-9]{1,2})")) {
            return withoutCanary(
                    primary, ingress, "CanaryInvalidWeight: \"" + weightText + "\" is not a number from 0 to 100");
        }
        var weight = Integer.parseInt(weightText);
        if (canary.namespace().equals(primary.gateway().namespace())
                && canary.name().equals(primary.gateway().name())) {
            return withoutCanary(
                    primary, ingress, "CanarySameAsPrimary: " + canary.path() + " is the waypoint already");
        }
        return switch (attachment) {
            case Attachment.Bound second ->
                new ServiceAttachment(
                        primary,
                        List.of(
                                new WeightedWaypoint(primary.destination(), 100 - weight),
                                new WeightedWaypoint(second.destination(), weight)),
                        Optional.of(second.gateway()),
                        Optional.empty(),
                        ingress);
            case Attachment.Refused(AttachmentReason reason, String message, var _) ->
                withoutCanary(primary, ingress, reason.text() + ": " + message);
            case Attachment.Nothing _ ->
                new ServiceAttachment(primary, List.of(), Optional.empty(), Optional.empty(), ingress);
        };
    }

    private static ServiceAttachment withoutCanary(Attachment primary, IngressWaypoint ingress, String problem) {
        return new ServiceAttachment(primary, List.of(), Optional.empty(), Optional.of(problem), ingress);
    }

    private static Attachment restrict(Attachment attachment, Manifest object, AttachmentReach reach) {
        return reach == AttachmentReach.OWN_NAMESPACE
                        && attachment instanceof Attachment.Bound bound
                        && !bound.gateway().namespace().equals(object.namespace())
                ? new Attachment.Refused(
                        AttachmentReason.CROSS_NAMESPACE,
                        object.key().path() + " is visible in its own namespace only and Gateway "
                                + bound.gateway().path() + " is in another",
                        bound.bypass())
                : attachment;
    }

    /// Services that a deployment controller made for a waypoint or an east-west gateway.
    private static boolean isManagedGateway(Manifest object) {
        return switch (object.labels().getOrDefault(Markers.GATEWAY_MANAGED, "")) {
            case "istio.io-mesh-controller", "istio.io-eastwest-controller" -> true;
            default -> false;
        };
    }
}
