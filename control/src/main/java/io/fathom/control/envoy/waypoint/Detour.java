// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// That tunnels for a service go to its waypoint, except those of proxies that have done its work already, or need not.
///
/// @param chain to the waypoint
/// @param exempt what the tunnels say that go straight to the service: see [#exempt(TunnelSource, String)]
public record Detour(FilterChain chain, Set<String> exempt) {
    public Detour {
        exempt = Set.copyOf(exempt);
    }

    /// The header alone proves nothing: anybody may write it. So it only counts from these peers.
    ///
    /// @param principal of the peer, as its certificate says it
    public static String exempt(TunnelSource source, String principal) {
        return source.word() + " " + principal;
    }

    /// A way that leads nowhere, for a waypoint that is not known: better nothing than a way around it.
    public static FilterChain nowhere() {
        return MainInternal.nowhere();
    }

    /// The same in the same order, always.
    List<String> sorted() {
        return List.copyOf(new TreeSet<>(exempt));
    }
}
