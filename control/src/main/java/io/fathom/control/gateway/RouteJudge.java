package io.fathom.control.gateway;

import io.fathom.wire.kube.GatewayManifest;
import io.fathom.wire.kube.ListenerSetManifest;
import io.fathom.wire.kube.ReferenceGrantManifest;
import io.fathom.wire.kube.RouteFilter;
import io.fathom.wire.kube.RouteManifest;
import io.fathom.wire.kube.RouteManifest.BackendRef;
import io.fathom.wire.kube.RouteManifest.ParentRef;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Decides what becomes of a route. Pure: the same route in the same surroundings gets the same verdict.
///
/// Only parents that are ours get a verdict: Gateways of our classes, their ListenerSets, and Services and
/// ServiceEntries, whose routes are
/// for traffic inside the mesh. A Gateway that is not there may become anybody's, so nothing is said about it.
public final class RouteJudge {
    /// Who says so, in the status of routes: upstream's name, so that either control plane can take over.
    public static final String CONTROLLER = "istio.io/gateway-controller";

    private static final String ISTIO = "networking.istio.io";
    private static final Set<String> CONTROLLERS = Set.of(
            CONTROLLER, "istio.io/mesh-controller", "istio.io/eastwest-controller", "istio.io/unmanaged-gateway");
    private static final Set<String> CLASSES =
            Set.of("istio", "istio-waypoint", "istio-east-west", "istio-eastwest", "istio-remote");

    private final RouteManifest route;
    private final Surroundings around;
    private final Set<ListenerKey> attached = new HashSet<>();

    private RouteJudge(RouteManifest route, Surroundings around) {
        this.route = route;
        this.around = around;
    }

    public static RouteVerdict judge(RouteManifest route, Surroundings around) {
        return new RouteJudge(route, around).verdict();
    }

    private RouteVerdict verdict() {
        var parents = new ArrayList<ParentVerdict>();
        for (var parent : new LinkedHashSet<>(route.parents())) {
            accepted(parent).ifPresent(accepted -> parents.add(new ParentVerdict(parent, accepted, resolved(parent))));
        }
        return new RouteVerdict(route, parents, attached);
    }

    /// Empty for a parent that is not ours.
    private Optional<Finding> accepted(ParentRef parent) {
        var namespace = parent.namespaceFor(route.namespace());
        if (parent.isGateway()) {
            return around.gateway(namespace, parent.name()).filter(this::isOurs).map(gateway -> at(parent, gateway));
        }
        if (parent.isListenerSet()) {
            return around.listenerSet(namespace, parent.name())
                    .filter(set -> set.parent().isGateway())
                    .flatMap(set -> around.gateway(
                                    set.gateway().namespace(), set.gateway().name())
                            .filter(this::isOurs)
                            .map(gateway -> at(parent, gateway, set)));
        }
        if (parent.isService()) {
            return Optional.of(around.service(namespace, parent.name())
                    .map(service -> parent.port() == 0
                                    || service.ports().stream().anyMatch(port -> port.number() == parent.port())
                            ? inMesh(parent, namespace)
                            : noParent(
                                    "Service %s/%s has no port %d".formatted(namespace, parent.name(), parent.port())))
                    .orElseGet(() -> noParent("there is no Service " + namespace + "/" + parent.name())));
        }
        if (parent.group().equals(ISTIO) && parent.kind().equals("ServiceEntry")) {
            return Optional.of(
                    around.hasServiceEntry(namespace, parent.name())
                            ? inMesh(parent, namespace)
                            : noParent("there is no ServiceEntry " + namespace + "/" + parent.name()));
        }
        return Optional.empty();
    }

    private boolean isOurs(GatewayManifest gateway) {
        return around.controller(gateway.className())
                .map(CONTROLLERS::contains)
                .orElseGet(() -> CLASSES.contains(gateway.className()));
    }

    private Finding at(ParentRef parent, GatewayManifest gateway) {
        var attachment = Attachment.of(route, parent, Attachment.Host.of(gateway), around);
        attachment.listeners().forEach(name -> attached.add(new ListenerKey(gateway.key(), name)));
        return attachment.accepted();
    }

    private Finding at(ParentRef parent, GatewayManifest gateway, ListenerSetManifest set) {
        var permitted = gateway.allowedListeners()
                .permits(gateway.namespace(), set.namespace(), () -> around.namespaceLabels(set.namespace()));
        if (!permitted) {
            return Finding.bad(
                    "NotAllowedByListeners",
                    "Gateway %s does not allow ListenerSet %s"
                            .formatted(gateway.key().path(), set.key().path()));
        }
        var attachment = Attachment.of(route, parent, Attachment.Host.of(set), around);
        attachment
                .listeners()
                .forEach(name -> attached.add(new ListenerKey(gateway.key(), Optional.of(set.key()), name)));
        return attachment.accepted();
    }

    private static Finding inMesh(ParentRef parent, String namespace) {
        return Finding.good("Accepted", "in effect for %s %s/%s".formatted(parent.kind(), namespace, parent.name()));
    }

    private static Finding noParent(String message) {
        return Finding.bad("NoMatchingParent", message);
    }

    private Finding resolved(ParentRef parent) {
        return Stream.concat(
                        route.filters().flatMap(filter -> trouble(filter).stream()),
                        route.backends().distinct().flatMap(backend -> trouble(parent, backend).stream()))
                .findFirst()
                .orElseGet(() -> Finding.good("ResolvedRefs", "all that it refers to can be used"));
    }

    /// Requests that such a filter is for get an error.
    private static Optional<Finding> trouble(RouteFilter filter) {
        return filter instanceof RouteFilter.Extension(var group, var kind, var _)
                ? Optional.of(Finding.bad("InvalidKind", "a " + group + "/" + kind + " is no filter"))
                : Optional.empty();
    }

    private Optional<Finding> trouble(ParentRef parent, BackendRef backend) {
        var namespace = backend.namespaceFor(route.namespace());
        var name = backend.kind() + " " + namespace + "/" + backend.name();
        var isService = backend.group().isEmpty() && backend.kind().equals("Service");
        var isEntry = backend.group().equals(ISTIO) && backend.kind().equals("ServiceEntry");
        if (!isService && !isEntry && !isHostname(backend)) {
            var kind = backend.group().isEmpty() ? backend.kind() : backend.group() + "/" + backend.kind();
            return Optional.of(Finding.bad("InvalidKind", "a " + kind + " is no backend; refer to a Service"));
        }
        // Inside the mesh, clients could call the other namespace themselves.
        if (parent.isEntrance() && !namespace.equals(route.namespace()) && !isGranted(backend, namespace)) {
            return Optional.of(Finding.bad(
                    "RefNotPermitted",
                    "%s is in another namespace, and no ReferenceGrant there permits a %s of %s to refer to it"
                            .formatted(name, route.kind(), route.namespace())));
        }
        if ((isService && around.service(namespace, backend.name()).isEmpty())
                || (isEntry && !around.hasServiceEntry(namespace, backend.name()))) {
            return Optional.of(Finding.bad("BackendNotFound", "there is no " + name));
        }
        return Optional.empty();
    }

    /// Upstream's way to name a host of a service, whoever declares it.
    private static boolean isHostname(BackendRef backend) {
        return backend.group().equals(ISTIO) && backend.kind().equals("Hostname");
    }

    private boolean isGranted(BackendRef backend, String namespace) {
        var from = new ReferenceGrantManifest.From(RouteManifest.GROUP, route.kind(), route.namespace());
        return around.grants(namespace).stream()
                .anyMatch(grant -> grant.permits(from, backend.group(), backend.kind(), backend.name()));
    }
}
