// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.http.set_filter_state.v3.Config;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The listeners of an east-west gateway: it takes tunnels of other networks, finds the service that each is for, and
/// hands on what is inside, which is a tunnel again that it cannot read.
public final class EastWestListeners {
    private static final String FORWARD = "forward_inner_connect";

    private EastWestListeners() {}

    /// All three, in the order in which traffic passes them.
    ///
    /// @param parts of services that other networks may reach, oldest first
    /// @param controlPlane how control planes of other clusters reach ours, if there are any
    public static List<Listener> of(
            WaypointSettings settings, List<ServicePart> parts, Optional<ControlPlaneWay> controlPlane) {
        var source = Config.newBuilder()
                .addOnRequestHeaders(FilterStates.sourceAndPeer())
                .build();
        var filters = new ArrayList<HttpFilter>();
        controlPlane.map(ControlPlaneWay::guard).ifPresent(filters::add);
        filters.add(Typed.http("request_source", source));
        var ways = controlPlane.map(ControlPlaneWay::route).stream().toList();
        return List.of(
                ConnectTerminate.listener(settings, filters, ways),
                new MainInternal(settings)
                        .listener(parts, List.of(), new DirectChains(List.of(), List.of()), Optional.empty()),
                Hop.toOriginal(
                        FORWARD,
                        Hop.proxy(
                                FORWARD, "tunnel not handed on: dst=%DOWNSTREAM_LOCAL_ADDRESS% host=%UPSTREAM_HOST%")));
    }
}
