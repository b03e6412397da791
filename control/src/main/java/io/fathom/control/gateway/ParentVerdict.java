// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import java.util.Optional;
import java.util.Set;

/// What became of a route, or of a policy, at one of its parents.
///
/// @param accepted whether the parent takes it
/// @param resolved whether all that its rules refer to may be used
/// @param waypoints for a parent inside the mesh, whether a waypoint stands in front of it
/// @param effects where requests or connections follow it; none of a policy
public record ParentVerdict(
        ParentRef parent,
        Finding accepted,
        Finding resolved,
        Optional<Finding> waypoints,
        Set<RouteAttachPoint> effects) {
    public ParentVerdict {
        effects = Set.copyOf(effects);
    }

    /// Whether nothing is wrong with it, and nobody follows it all the same.
    public boolean isAcceptedInVain() {
        return accepted.isGood() && effects.isEmpty();
    }

    /// Of a policy.
    public ParentVerdict(ParentRef parent, Finding accepted, Finding resolved) {
        this(parent, accepted, resolved, Optional.empty(), Set.of());
    }
}
