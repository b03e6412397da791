// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.RouteManifest.BackendRef;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What became of a route.
///
/// @param parents those of the route's parents that are ours, in its order
/// @param attached the listeners that take it, whether they are served or not
/// @param effects where it is in effect; at a listener with the hosts that it has there, `*` for all
/// @param granted backends of other namespaces that it may use
/// @param unsaid what is wrong with parents and no condition says: they are nobody's, or have no use for it
public record RouteVerdict(
        RouteManifest route,
        List<ParentVerdict> parents,
        Set<ListenerKey> attached,
        Map<RouteAttachPoint, List<String>> effects,
        Set<BackendRef> granted,
        Map<ParentRef, Problem> unsaid) {
    /// The code of the problem of a route that is accepted in vain.
    public static final String NOT_IN_EFFECT = "route-not-in-effect";

    public RouteVerdict {
        parents = List.copyOf(parents);
        attached = Set.copyOf(attached);
        effects = Map.copyOf(effects);
        granted = Set.copyOf(granted);
        unsaid = Map.copyOf(unsaid);
    }

    /// The hosts that it has at a listener.
    public List<String> hosts(RouteAttachPoint place) {
        return effects.getOrDefault(place, List.of());
    }
}
