// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.fathom.control.envoy.extension.ListPatch.Anchored;
import io.fathom.control.envoy.extension.ListPatch.End;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.AnyObject;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ApplyTo;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ClusterMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ListenerMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ObjectMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.RouteAction;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.RoutesMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.WaypointMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Patches of route configurations, their virtual hosts and routes.
final class RoutePatches {
    /// `http.80`, `https.443.name.gateway.namespace`, `inbound-vip|80|http|host`.
    private static final Pattern NAME =
            Pattern.compile("(?:https?\\.([0-9]+)(?:\\.(.+)\\.([^.]+)\\.([^.]+))?.*)|(?:inbound-vip\\|([0-9]+)\\|.*)");

    private final List<CompiledPatch> patches;

    RoutePatches(List<CompiledPatch> all) {
        patches = all.stream()
                .filter(patch -> switch (patch.applyTo()) {
                    case ROUTE_CONFIGURATION, VIRTUAL_HOST, HTTP_ROUTE -> true;
                    default -> false;
                })
                .toList();
    }

    boolean isEmpty() {
        return patches.isEmpty();
    }

    RouteConfiguration apply(RouteConfiguration configuration) {
        if (isEmpty()) {
            return configuration;
        }
        var result = configuration;
        for (var patch : of(ApplyTo.ROUTE_CONFIGURATION)) {
            if (isMeant(patch.match(), configuration.getName())) {
                result = DeepMerge.merge(result, patch.value().orElseThrow());
            }
        }
        List<VirtualHost> hosts = result.getVirtualHostsList();
        for (var patch : of(ApplyTo.VIRTUAL_HOST)) {
            if (isMeant(patch.match(), configuration.getName())) {
                hosts = ListPatch.apply(
                        VirtualHost.class,
                        hosts,
                        patch,
                        host -> isMeant(patch.match(), host),
                        Anchored.BY_NAME,
                        End.LAST);
            }
        }
        var patched = new ArrayList<VirtualHost>(hosts.size());
        hosts.forEach(host -> patched.add(host(configuration.getName(), host)));
        return result.toBuilder()
                .clearVirtualHosts()
                .addAllVirtualHosts(patched)
                .build();
    }

    private VirtualHost host(String configuration, VirtualHost host) {
        List<Route> routes = host.getRoutesList();
        for (var patch : of(ApplyTo.HTTP_ROUTE)) {
            if (isMeant(patch.match(), configuration) && isMeant(patch.match(), host)) {
                routes = ListPatch.apply(
                        Route.class,
                        routes,
                        patch,
                        route -> isMeant(patch.match(), route),
                        anchored(patch.match()),
                        End.LAST);
            }
        }
        return host.toBuilder().clearRoutes().addAllRoutes(routes).build();
    }

    private List<CompiledPatch> of(ApplyTo applyTo) {
        return patches.stream().filter(patch -> patch.applyTo() == applyTo).toList();
    }

    private static boolean isMeant(ObjectMatch match, String configuration) {
        return switch (match) {
            case AnyObject _ -> true;
            case RoutesMatch wanted ->
                ListenerMatches.isOr(wanted.name(), configuration) && isMeant(wanted, configuration);
            case WaypointMatch wanted ->
                wanted.port() == 0
                        || ListenerMatches.port(configuration)
                                .filter(port -> port == wanted.port())
                                .isPresent();
            case ListenerMatch _, ClusterMatch _ -> false;
        };
    }

    private static boolean isMeant(RoutesMatch wanted, String configuration) {
        if (wanted.port() == 0
                && wanted.portName().isEmpty()
                && wanted.gateway().isEmpty()) {
            return true;
        }
        var name = NAME.matcher(configuration);
        if (!name.matches()) {
            return false;
        }
        var port = name.group(1) == null ? name.group(5) : name.group(1);
        var gateway = name.group(3) == null ? "" : name.group(4) + "/" + name.group(3);
        return (wanted.port() == 0 || Integer.parseInt(port) == wanted.port())
                && ListenerMatches.isOr(wanted.portName(), name.group(2) == null ? "" : name.group(2))
                && ListenerMatches.isOr(wanted.gateway(), gateway);
    }

    private static boolean isMeant(ObjectMatch match, VirtualHost host) {
        return !(match instanceof RoutesMatch wanted)
                || (ListenerMatches.isOr(wanted.virtualHost(), host.getName())
                        && (wanted.domain().isEmpty() || host.getDomainsList().contains(wanted.domain())));
    }

    private static boolean isMeant(ObjectMatch match, Route route) {
        return switch (match) {
            case RoutesMatch wanted ->
                ListenerMatches.isOr(wanted.route(), route.getName()) && isMeant(wanted.action(), route);
            case WaypointMatch wanted -> ListenerMatches.isOr(wanted.route(), route.getName());
            case AnyObject _, ListenerMatch _, ClusterMatch _ -> true;
        };
    }

    private static boolean isMeant(RouteAction action, Route route) {
        return switch (action) {
            case ANY -> true;
            case ROUTE -> route.hasRoute();
            case REDIRECT -> route.hasRedirect();
            case DIRECT_RESPONSE -> route.hasDirectResponse();
        };
    }

    private static Anchored anchored(ObjectMatch match) {
        return switch (match) {
            case RoutesMatch wanted ->
                wanted.action() == RouteAction.ANY ? Anchored.by(wanted.route()) : Anchored.BY_NAME;
            case WaypointMatch wanted -> Anchored.by(wanted.route());
            case AnyObject _, ListenerMatch _, ClusterMatch _ -> Anchored.NOT;
        };
    }
}
