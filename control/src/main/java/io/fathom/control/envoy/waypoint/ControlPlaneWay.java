// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.rbac.v3.Permission;
import io.envoyproxy.envoy.config.rbac.v3.Policy;
import io.envoyproxy.envoy.config.rbac.v3.Principal;
import io.envoyproxy.envoy.config.rbac.v3.RBAC;
import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.fathom.model.peering.ControlPlanes;
import java.util.List;

/// The way of other clusters' control planes to ours, through an east-west gateway. It leads to one place, whatever
/// headers say, and nobody else may take it.
///
/// @param host of our control plane: a name or an address
/// @param peers who may take it, as certificates say it
public record ControlPlaneWay(String host, int port, List<String> peers) {
    /// The cluster that it ends in.
    public static final String CLUSTER = "control_plane";

    public ControlPlaneWay {
        peers = List.copyOf(peers);
        if (peers.isEmpty()) {
            throw new IllegalArgumentException("a way for nobody");
        }
    }

    /// Comes before that of all other tunnels.
    Route route() {
        var route = ConnectTerminate.route(CLUSTER).toBuilder();
        route.getMatchBuilder().addHeaders(isMeant());
        return route.build();
    }

    /// Refuses tunnels to the control plane that others ask for.
    HttpFilter guard() {
        var anyPeer = Principal.Set.newBuilder();
        for (var peer : peers) {
            anyPeer.addIds(Principal.newBuilder()
                    .setAuthenticated(Principal.Authenticated.newBuilder()
                            .setPrincipalName(StringMatcher.newBuilder().setExact(peer))));
        }
        var stranger = Principal.Set.newBuilder()
                .addIds(Principal.newBuilder().setHeader(isMeant()))
                .addIds(Principal.newBuilder().setNotId(Principal.newBuilder().setOrIds(anyPeer)));
        var rules = RBAC.newBuilder()
                .setAction(RBAC.Action.DENY)
                .putPolicies(
                        "not-a-control-plane",
                        Policy.newBuilder()
                                .addPermissions(Permission.newBuilder().setAny(true))
                                .addPrincipals(Principal.newBuilder().setAndIds(stranger))
                                .build());
        return Typed.http(
                "control_plane_peers",
                io.envoyproxy
                        .envoy
                        .extensions
                        .filters
                        .http
                        .rbac
                        .v3
                        .RBAC
                        .newBuilder()
                        .setRules(rules)
                        .build());
    }

    private static HeaderMatcher isMeant() {
        return HeaderMatcher.newBuilder()
                .setName(":authority")
                .setStringMatch(StringMatcher.newBuilder().setExact(ControlPlanes.AUTHORITY))
                .build();
    }
}
