// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.policy.TargetedPolicies.Target;
import io.fathom.control.ambient.policy.TargetedPolicies.TargetKind;
import io.fathom.control.ambient.service.EntryServices;
import io.fathom.control.ambient.service.KubeServices;
import io.fathom.control.ambient.service.ServiceAttachment;
import io.fathom.control.ambient.waypoint.Attachment;
import io.fathom.control.ambient.waypoint.Waypoints;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// Tells policies what became of the objects they are attached to.
public final class PolicyTargets implements PolicyTables.Targets {
    private static final String WAYPOINT_CONTROLLER = "istio.io/mesh-controller";

    private final Inputs inputs;
    private final Waypoints waypoints;
    private final Table<ObjectKey, ServiceAttachment> services;
    private final Table<ObjectKey, ServiceAttachment> entries;

    public PolicyTargets(Inputs inputs, Waypoints waypoints, KubeServices services, EntryServices entries) {
        this.inputs = inputs;
        this.waypoints = waypoints;
        this.services = services.attachments();
        this.entries = entries.attachments();
    }

    @Override
    public Target find(Fetch<?> fetch, ObjectKey policy, TargetKind kind, String name) {
        return switch (kind) {
            case SERVICE -> behind(fetch.one(services, policy.sibling(name)));
            case SERVICE_ENTRY -> behind(fetch.one(entries, policy.sibling(name)));
            case GATEWAY ->
                fetch.one(waypoints.table(), policy.sibling(name))
                        .filter(waypoint -> waypoint.address().isPresent())
                        .<Target>map(waypoint -> new Target.Bound(waypoint.key().path()))
                        .orElseGet(Target.Missing::new);
            case GATEWAY_CLASS ->
                fetch.one(inputs.gatewayClasses(), Keys.clusterWide(policy, name))
                        .<Target>map(own -> own.controllerName().equals(WAYPOINT_CONTROLLER)
                                ? new Target.Bound(name)
                                : new Target.Foreign(own.controllerName()))
                        .orElseGet(Target.Missing::new);
        };
    }

    /// The Gateway in front of a Service or ServiceEntry.
    public Optional<ObjectKey> waypoint(Fetch<?> fetch, String kind, ObjectKey service) {
        return switch (kind) {
            case "Service" -> fetch.one(services, service).flatMap(PolicyTargets::gateway);
            case "ServiceEntry" -> fetch.one(entries, service).flatMap(PolicyTargets::gateway);
            default -> Optional.empty();
        };
    }

    private static Optional<ObjectKey> gateway(ServiceAttachment attachment) {
        return attachment.primary().bound().map(Attachment.Bound::gateway);
    }

    private static Target behind(Optional<ServiceAttachment> attachment) {
        return attachment
                .map(own -> own.primary()
                        .bound()
                        .<Target>map(bound -> new Target.Bound(bound.gateway().path()))
                        .orElseGet(Target.NotBound::new))
                .orElseGet(Target.Missing::new);
    }
}
