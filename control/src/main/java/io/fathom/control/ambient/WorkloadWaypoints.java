package io.fathom.control.ambient;

import io.fathom.base.flow.Fetch;
import io.fathom.control.ambient.Waypoint.Traffic;
import io.fathom.control.ambient.Waypoints.Origin;
import io.fathom.wire.kube.ObjectKey;
import java.util.Map;
import java.util.Optional;

/// Decides which waypoint stands in front of a workload: its own labels, else what its namespace asks for. The pods of
/// a gateway have none, or traffic would go in circles.
final class WorkloadWaypoints {
    private final Waypoints waypoints;

    WorkloadWaypoints(Waypoints waypoints) {
        this.waypoints = waypoints;
    }

    /// @param gateway the Gateway that the workload makes work, if any
    Attachment attach(
            Fetch<?> fetch,
            ObjectKey workload,
            Map<String, String> labels,
            NamespaceContext context,
            Optional<ObjectKey> gateway) {
        var own = WaypointRequest.of(labels, workload.namespace());
        if (gateway.isPresent()) {
            return own.filter(request -> !request.isOptOut())
                    .<Attachment>map(request -> ServiceAttachments.loop(request, gateway))
                    .orElse(Attachment.nothing());
        }
        return own.map(request ->
                        waypoints.attach(fetch, Keys.namespaceOf(workload), request, Traffic.WORKLOAD, Origin.OBJECT))
                .orElseGet(context::waypoint);
    }

    /// The Gateway that a pod says it is an instance of, if that is true.
    Optional<Waypoint> instanceOf(Fetch<?> fetch, ObjectKey pod, Map<String, String> labels) {
        return Optional.ofNullable(labels.get(Markers.GATEWAY_NAME))
                .flatMap(name -> fetch.one(waypoints.table(), pod.sibling(name)));
    }
}
