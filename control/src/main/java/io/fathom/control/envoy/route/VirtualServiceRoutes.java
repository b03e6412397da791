// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.route.v3.Route;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpAction;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpRule;
import java.util.ArrayList;
import java.util.List;

/// Translates the HTTP rules of VirtualServices, in their order.
final class VirtualServiceRoutes {
    private final RouteContext context;
    private final RequestPort port;
    private final FilterNeeds needs;
    private final Viewpoint viewpoint;

    VirtualServiceRoutes(RouteContext context, RequestPort port, FilterNeeds needs, Viewpoint viewpoint) {
        this.context = context;
        this.port = port;
        this.needs = needs;
        this.viewpoint = viewpoint;
    }

    static VirtualServiceRoutes inMesh(RouteContext context, RequestPort port, FilterNeeds needs) {
        return new VirtualServiceRoutes(context, port, needs, Viewpoint.MESH);
    }

    /// @param all that they may delegate to
    List<Route> translate(List<VirtualServiceManifest> bound, List<VirtualServiceManifest> all) {
        var routes = new ArrayList<Route>();
        var delegates = new Delegates(all);
        bound.forEach(each -> addRules(each, delegates, routes));
        return routes;
    }

    /// Stops after what matches everything: nothing behind it is ever reached.
    private void addRules(VirtualServiceManifest owner, Delegates delegates, List<Route> routes) {
        for (var rule : owner.http()) {
            if (rule.action() instanceof HttpAction.Delegate(var namespace, var name)) {
                var found = delegates.rules(rule, namespace, name, owner);
                for (var own : found.rules()) {
                    if (addMatches(found.owner(), own, routes)) {
                        return;
                    }
                }
            } else if (addMatches(owner, rule, routes)) {
                return;
            }
        }
    }

    /// Tells whether a match was for everything.
    private boolean addMatches(VirtualServiceManifest owner, HttpRule rule, List<Route> routes) {
        var matches = rule.matches().isEmpty() ? List.of(Delegates.EVERYTHING) : rule.matches();
        for (var match : matches) {
            if (isForUs(owner, match)) {
                var route = new VirtualRuleRoute(context, port, needs, viewpoint).build(owner, rule, match);
                routes.add(route);
                if (RouteOrder.isCatchAll(route)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isForUs(VirtualServiceManifest owner, HttpMatch match) {
        return (match.port() == 0 || match.port() == port.number()) && viewpoint.sees(owner, match.callers());
    }
}
