// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.http.set_filter_state.v3.Config;
import java.util.List;

/// The listeners of an east-west gateway: it takes tunnels of other networks, finds the service that each is for, and
/// hands on what is inside, which is a tunnel again that it cannot read.
public final class EastWestListeners {
    private static final String FORWARD = "forward_inner_connect";

    private EastWestListeners() {}

    /// All three, in the order in which traffic passes them.
    ///
    /// @param parts of services that other networks may reach, oldest first
    public static List<Listener> of(WaypointSettings settings, List<ServicePart> parts) {
        var source = Config.newBuilder()
                .addOnRequestHeaders(FilterStates.sourceAndPeer())
                .build();
        return List.of(
                ConnectTerminate.listener(settings, List.of(Typed.http("request_source", source))),
                new MainInternal(settings).listener(parts, List.of(), new DirectChains(List.of(), List.of())),
                Hop.toOriginal(
                        FORWARD,
                        Hop.proxy(
                                FORWARD, "tunnel not handed on: dst=%DOWNSTREAM_LOCAL_ADDRESS% host=%UPSTREAM_HOST%")));
    }
}
