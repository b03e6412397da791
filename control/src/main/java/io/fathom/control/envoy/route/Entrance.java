// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import java.util.List;

/// A listener of a Gateway, or a server of an Istio Gateway, and the routes in effect there.
///
/// @param gateway `namespace/name` of an Istio Gateway, by which VirtualServices name it; empty for the Gateway API
/// @param hostnames it is for, exact or with a leading `*`, those of an Istio Gateway possibly after `namespace/`;
/// empty for all
/// @param routes of the Gateway API that are in effect there, oldest first
/// @param virtualServices that its proxies see and that may be bound to it, oldest first, with those that they may
///     delegate to; those that are not bound are left out
public record Entrance(
        String gateway,
        List<String> hostnames,
        List<Attached> routes,
        List<VirtualServiceManifest> virtualServices,
        PlainRequests plainRequests) {
    /// A route with the hosts that it has there, `*` for all: those of its verdict.
    public record Attached(RouteManifest route, List<String> hosts) {
        public Attached {
            hosts = List.copyOf(hosts);
        }
    }

    /// What becomes of requests without TLS.
    public enum PlainRequests {
        SERVED,
        REDIRECTED
    }

    public Entrance {
        hostnames = List.copyOf(hostnames);
        routes = List.copyOf(routes);
        virtualServices = List.copyOf(virtualServices);
    }

    /// Of a Gateway of the Gateway API.
    ///
    /// @param hostname empty for all
    public static Entrance listener(String hostname, List<Attached> routes) {
        return new Entrance(
                "", hostname.isEmpty() ? List.of() : List.of(hostname), routes, List.of(), PlainRequests.SERVED);
    }

    /// Of an Istio Gateway.
    public static Entrance server(
            String gateway,
            List<String> hosts,
            List<VirtualServiceManifest> virtualServices,
            PlainRequests plainRequests) {
        return new Entrance(gateway, hosts, List.of(), virtualServices, plainRequests);
    }

    boolean isListener() {
        return gateway.isEmpty();
    }
}
