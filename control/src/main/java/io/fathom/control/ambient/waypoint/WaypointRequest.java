// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.control.ambient.input.Markers;
import java.util.Map;
import java.util.Optional;

/// The Gateway that labels ask for. An empty name asks, too: for a Gateway that cannot exist.
public record WaypointRequest(String namespace, String name) {
    private static final String OPT_OUT = "none";

    /// What labels ask for; empty if they do not say.
    ///
    /// @param ownNamespace where the Gateway is looked for unless a label says otherwise
    public static Optional<WaypointRequest> of(Map<String, String> labels, String ownNamespace) {
        return of(labels, Markers.USE_WAYPOINT, Markers.USE_WAYPOINT_NAMESPACE, ownNamespace);
    }

    /// The second waypoint that takes a share of the traffic.
    public static Optional<WaypointRequest> canaryOf(Map<String, String> labels, String ownNamespace) {
        return of(labels, Markers.USE_CANARY, Markers.USE_CANARY_NAMESPACE, ownNamespace)
                .filter(request -> !request.isOptOut() && !request.name().isEmpty());
    }

    private static Optional<WaypointRequest> of(
            Map<String, String> labels, String nameLabel, String namespaceLabel, String ownNamespace) {
        return Optional.ofNullable(labels.get(nameLabel)).map(name -> {
            var namespace = labels.getOrDefault(namespaceLabel, "");
            return new WaypointRequest(namespace.isEmpty() ? ownNamespace : namespace, name);
        });
    }

    public boolean isOptOut() {
        return name.equals(OPT_OUT);
    }

    public String path() {
        return namespace + "/" + name;
    }
}
