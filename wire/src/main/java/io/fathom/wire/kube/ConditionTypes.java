// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

/// The types of conditions that the control plane writes into the status of objects that are not of the Gateway API.
public final class ConditionTypes {
    public static final String WAYPOINT_BOUND = "istio.io/WaypointBound";
    public static final String WAYPOINT_MISSING = "istio.io/WaypointMissing";
    public static final String VISIBILITY_APPLIED = "istio.io/VisibilityApplied";
    public static final String ZTUNNEL_ACCEPTED = "ZtunnelAccepted";
    public static final String WAYPOINT_ACCEPTED = "WaypointAccepted";
    /// Ours: upstream says nothing about what Envoys make of an object.
    public static final String ENVOY_ACCEPTED = "EnvoyAccepted";
    // of ServiceExports, as KEP-1645 calls them
    public static final String EXPORT_VALID = "Valid";
    public static final String EXPORT_READY = "Ready";
    public static final String EXPORT_CONFLICT = "Conflict";

    private ConditionTypes() {}
}
