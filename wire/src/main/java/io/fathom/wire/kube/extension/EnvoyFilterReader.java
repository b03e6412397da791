// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.extension;

import io.fathom.wire.kube.extension.EnvoyFilterManifest.AnyObject;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ApplyTo;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ClusterMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Context;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.FilterClass;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ListenerMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ObjectMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Operation;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Patch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ProxyMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.RouteAction;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.RoutesMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.WaypointMatch;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.manifest.Values;
import io.fathom.wire.kube.security.TargetRefs;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.Map;
import java.util.Optional;

/// Reads EnvoyFilters. Whether a patch can be applied is not decided here.
public final class EnvoyFilterReader implements KindReader {
    private static final Choices<ApplyTo> PLACES = Choices.of(ApplyTo.class, ApplyTo::name);
    private static final Choices<Context> CONTEXTS = Choices.of(Context.class, Context::name);
    private static final Choices<Operation> OPERATIONS = Choices.of(Operation.class, Operation::name);
    private static final Choices<FilterClass> CLASSES = Choices.of(FilterClass.class, FilterClass::name);
    private static final Choices<RouteAction> ACTIONS = Choices.of(RouteAction.class, RouteAction::name);

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new EnvoyFilterManifest(
                metadata,
                selector(spec.at("workloadSelector")),
                TargetRefs.read(spec),
                spec.at("priority")
                        .integer(Integer.MIN_VALUE, Integer.MAX_VALUE)
                        .orElse(0),
                spec.at("configPatches").items().stream()
                        .map(EnvoyFilterReader::patch)
                        .toList());
    }

    private static Optional<Map<String, String>> selector(Field selector) {
        return selector.isPresent() ? Optional.of(selector.at("labels").textMap()) : Optional.empty();
    }

    private static Patch patch(Field config) {
        var match = config.at("match");
        var patch = config.at("patch");
        var proxy = match.at("proxy");
        return new Patch(
                config.at("applyTo").oneOf(PLACES),
                match.at("context").oneOf(CONTEXTS, Context.ANY),
                new ProxyMatch(
                        proxy.at("proxyVersion").text(), proxy.at("metadata").textMap()),
                object(match),
                patch.at("operation").oneOf(OPERATIONS),
                patch.at("filterClass").oneOf(CLASSES, FilterClass.UNSPECIFIED),
                Values.jsonObject(patch.at("value")));
    }

    private static ObjectMatch object(Field match) {
        if (match.at("listener").isPresent()) {
            return listener(match.at("listener"));
        }
        if (match.at("routeConfiguration").isPresent()) {
            return routes(match.at("routeConfiguration"));
        }
        if (match.at("cluster").isPresent()) {
            var cluster = match.at("cluster");
            return new ClusterMatch(
                    port(cluster.at("portNumber")),
                    cluster.at("service").text(),
                    cluster.at("subset").text(),
                    cluster.at("name").text());
        }
        if (match.at("waypoint").isPresent()) {
            var waypoint = match.at("waypoint");
            return new WaypointMatch(
                    port(waypoint.at("portNumber")),
                    waypoint.at("route").at("name").text(),
                    waypoint.at("filter").at("name").text(),
                    waypoint.at("filter").at("subFilter").at("name").text());
        }
        return new AnyObject();
    }

    private static ObjectMatch listener(Field listener) {
        var chain = listener.at("filterChain");
        return new ListenerMatch(
                port(listener.at("portNumber")),
                listener.at("name").text(),
                listener.at("listenerFilter").text(),
                chain.at("name").text(),
                chain.at("sni").text(),
                chain.at("transportProtocol").text(),
                chain.at("applicationProtocols").text(),
                port(chain.at("destinationPort")),
                chain.at("filter").at("name").text(),
                chain.at("filter").at("subFilter").at("name").text());
    }

    private static ObjectMatch routes(Field routes) {
        var host = routes.at("vhost");
        return new RoutesMatch(
                port(routes.at("portNumber")),
                routes.at("portName").text(),
                routes.at("gateway").text(),
                routes.at("name").text(),
                host.at("name").text(),
                host.at("domainName").text(),
                host.at("route").at("name").text(),
                host.at("route").at("action").oneOf(ACTIONS, RouteAction.ANY));
    }

    private static int port(Field port) {
        return port.integer(0, Ports.MOST).orElse(0);
    }
}
