// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.base.flow.Fetch;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.waypoint.Waypoint.Traffic;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Decides which waypoint stands in front of a workload: its own labels, else its service account, else what
/// its namespace asks for. The pods of a gateway have none, or traffic would go in circles.
public final class WorkloadWaypoints {
    private final Waypoints waypoints;

    public WorkloadWaypoints(Waypoints waypoints) {
        this.waypoints = waypoints;
    }

    /// Which waypoint a workload gets, or why none.
    ///
    /// @param gateway the Gateway that the workload makes work, if any
    public Attachment attach(
            Fetch<?> fetch,
            ObjectKey workload,
            Map<String, String> labels,
            String account,
            NamespaceContext context,
            Optional<ObjectKey> gateway) {
        var own = WaypointRequest.of(labels, workload.namespace());
        if (gateway.isPresent()) {
            return own.filter(request -> !request.isOptOut())
                    .<Attachment>map(request -> Attachment.loop(request, gateway))
                    .orElse(Attachment.nothing());
        }
        var accounts = Set.of(account);
        return own.map(request ->
                        waypoints.attach(fetch, request, Applicant.object(workload, Traffic.WORKLOAD, accounts)))
                .orElseGet(() -> context.accounts().over(context.waypoint(), accounts));
    }

    /// The Gateway that something is attached to.
    public Optional<Waypoint> of(Fetch<?> fetch, Attachment attachment) {
        return attachment.bound().flatMap(bound -> fetch.one(waypoints.table(), bound.gateway()));
    }

    /// The Gateway that a pod or endpoint says it is an instance of, if that is true.
    public Optional<Waypoint> instanceOf(Fetch<?> fetch, ObjectKey workload, Map<String, String> labels) {
        return Optional.ofNullable(labels.get(Markers.GATEWAY_NAME))
                .flatMap(name -> fetch.one(waypoints.table(), workload.sibling(name)));
    }
}
