package io.fathom.control.gateway;

import io.fathom.wire.kube.RouteManifest;
import java.util.List;
import java.util.Set;

/// What became of a route.
///
/// @param parents those of the route's parents that are ours, in its order
/// @param attached the listeners that it is in effect at
public record RouteVerdict(RouteManifest route, List<ParentVerdict> parents, Set<ListenerKey> attached) {
    public RouteVerdict {
        parents = List.copyOf(parents);
        attached = Set.copyOf(attached);
    }
}
