// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.lang.Problem;
import io.fathom.control.gateway.GatewayVerdict.Permission;
import io.fathom.wire.kube.gateway.ListenerSetManifest;
import io.fathom.wire.kube.gateway.ReferenceGrantManifest;
import io.fathom.wire.kube.gateway.RouteFilter;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.RouteManifest.BackendRef;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import io.fathom.wire.kube.multicluster.ServiceExportManifest;
import io.fathom.wire.kube.multicluster.ServiceImportManifest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Decides what becomes of a route, as if it had no rivals. Pure: the same route in the same surroundings gets the same
/// verdict.
///
/// Only parents that are ours get a verdict: Gateways of our classes, their ListenerSets, and Services and
/// ServiceEntries, whose routes are for traffic inside the mesh. A Gateway that is not there may become anybody's, so
/// nothing is said about it on the route; that it is missing is a problem all the same.
public final class RouteJudge {
    /// Who says so, in the status of routes: upstream's name, so that either control plane can take over.
    public static final String CONTROLLER = "istio.io/gateway-controller";

    private static final String ISTIO = "networking.istio.io";

    private final RouteManifest route;
    private final Surroundings around;
    private final Set<ListenerKey> attached = new HashSet<>();
    private final Map<RouteAttachPoint, List<String>> effects = new LinkedHashMap<>();
    private final Map<ParentRef, Problem> unsaid = new LinkedHashMap<>();

    private RouteJudge(RouteManifest route, Surroundings around) {
        this.route = route;
        this.around = around;
    }

    static RouteVerdict judge(RouteManifest route, Surroundings around) {
        return new RouteJudge(route, around).verdict();
    }

    private RouteVerdict verdict() {
        var parents = new ArrayList<ParentVerdict>();
        for (var parent : new LinkedHashSet<>(route.parents())) {
            at(parent).ifPresent(parents::add);
        }
        var granted = route.backends()
                .filter(backend -> !isOwn(backend) && isGranted(backend))
                .collect(Collectors.toSet());
        return new RouteVerdict(route, parents, attached, effects, granted, unsaid);
    }

    /// Empty for a parent that is not ours.
    private Optional<ParentVerdict> at(ParentRef parent) {
        var namespace = parent.namespaceFor(route.namespace());
        if (parent.isGateway()) {
            var gateway = around.gateway(namespace, parent.name());
            if (gateway.isEmpty() && !around.hasGateway(namespace, parent.name())) {
                missing(parent, namespace);
            }
            return gateway.map(own ->
                    at(parent, new Attachment.Host("Gateway", own.gateway().key(), own, own.own())));
        }
        if (parent.isListenerSet()) {
            var set = around.listenerSet(namespace, parent.name())
                    .filter(found -> found.parent().isGateway());
            if (set.isEmpty()) {
                missing(parent, namespace);
            }
            return set.flatMap(found -> at(parent, found));
        }
        if (parent.isService() || isServiceEntry(parent.group(), parent.kind())) {
            return Optional.of(inMesh(parent, namespace));
        }
        if (parent.group().isEmpty()
                || parent.group().equals(RouteManifest.GROUP)
                || parent.group().equals(ISTIO)) {
            say(
                    parent,
                    "route-parent-unknown",
                    "parent %s is of kind %s, which no route attaches to".formatted(parent.name(), parent.kind()),
                    "name a Gateway, ListenerSet, Service or ServiceEntry");
        }
        return Optional.empty();
    }

    private Optional<ParentVerdict> at(ParentRef parent, ListenerSetManifest set) {
        var key = set.gateway();
        return around.gateway(key.namespace(), key.name())
                .flatMap(gateway -> gateway.set(set.key()).map(own -> {
                    if (own.permission() == Permission.NOT_ALLOWED) {
                        return new ParentVerdict(
                                parent,
                                Finding.bad(
                                        "NotAllowedByListeners",
                                        "Gateway %s does not allow ListenerSet %s"
                                                .formatted(key.path(), set.key().path())),
                                resolved(parent));
                    }
                    return at(
                            parent, new Attachment.Host(ListenerSetManifest.KIND, set.key(), gateway, own.listeners()));
                }));
    }

    private ParentVerdict at(ParentRef parent, Attachment.Host host) {
        var attachment = Attachment.of(route, parent, host, around);
        attached.addAll(attachment.listeners());
        effects.putAll(attachment.effects());
        return new ParentVerdict(
                parent,
                attachment.accepted(),
                resolved(parent),
                Optional.empty(),
                attachment.effects().keySet());
    }

    private ParentVerdict inMesh(ParentRef parent, String namespace) {
        var attachment = around.meshParent(parent)
                .map(target -> MeshAttachment.of(route, parent, target))
                .orElseGet(() -> MeshAttachment.refused(
                        "NoMatchingParent", "there is no %s %s/%s".formatted(parent.kind(), namespace, parent.name())));
        effects.putAll(attachment.effects());
        return new ParentVerdict(
                parent,
                attachment.accepted(),
                resolved(parent),
                Optional.of(attachment.waypoints()),
                attachment.effects().keySet());
    }

    private void missing(ParentRef parent, String namespace) {
        say(
                parent,
                "route-parent-missing",
                "there is no %s %s/%s, which is a parent of it".formatted(parent.kind(), namespace, parent.name()),
                "create it, or correct parentRefs");
    }

    private void say(ParentRef parent, String code, String message, String fix) {
        unsaid.put(parent, Problem.ofInput(code, message, fix));
    }

    private Finding resolved(ParentRef parent) {
        var troubles = Stream.concat(
                        route.filters().flatMap(filter -> trouble(filter).stream()),
                        route.backends().distinct().flatMap(backend -> trouble(parent, backend).stream()))
                .toList();
        return troubles.isEmpty()
                ? Finding.good("ResolvedRefs", "all that it refers to can be used")
                : Finding.bad(
                        troubles.getFirst().reason(),
                        troubles.stream().map(Finding::message).distinct().collect(Collectors.joining("; ")));
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
        var isEntry = isServiceEntry(backend.group(), backend.kind());
        var isImport = isServiceImport(backend);
        if (!isService && !isEntry && !isImport && !isHostname(backend)) {
            var kind = backend.group().isEmpty() ? backend.kind() : backend.group() + "/" + backend.kind();
            return Optional.of(Finding.bad("InvalidKind", "a " + kind + " is no backend; refer to a Service"));
        }
        // Inside the mesh, clients could call the other namespace themselves.
        if (parent.isEntrance() && !isOwn(backend) && !isGranted(backend)) {
            return Optional.of(Finding.bad(
                    "RefNotPermitted",
                    "%s is in another namespace, and no ReferenceGrant there permits a %s of %s to refer to it"
                            .formatted(name, route.kind(), route.namespace())));
        }
        if ((isService && !around.hasService(namespace, backend.name()))
                || (isEntry && !around.hasServiceEntry(namespace, backend.name()))
                || (isImport && !around.hasServiceImport(namespace, backend.name()))) {
            return Optional.of(Finding.bad("BackendNotFound", "there is no " + name));
        }
        return Optional.empty();
    }

    private static boolean isServiceEntry(String group, String kind) {
        return group.equals(ISTIO) && kind.equals("ServiceEntry");
    }

    /// A service by the name that the clusters which export it have given it.
    private static boolean isServiceImport(BackendRef backend) {
        return backend.group().equals(ServiceExportManifest.GROUP)
                && backend.kind().equals(ServiceImportManifest.KIND);
    }

    /// Upstream's way to name a host of a service, whoever declares it.
    private static boolean isHostname(BackendRef backend) {
        return backend.group().equals(ISTIO) && backend.kind().equals("Hostname");
    }

    private boolean isOwn(BackendRef backend) {
        return backend.namespaceFor(route.namespace()).equals(route.namespace());
    }

    private boolean isGranted(BackendRef backend) {
        var from = new ReferenceGrantManifest.From(RouteManifest.GROUP, route.kind(), route.namespace());
        return around.grants(backend.namespaceFor(route.namespace())).stream()
                .anyMatch(grant -> grant.permits(from, backend.group(), backend.kind(), backend.name()));
    }
}
