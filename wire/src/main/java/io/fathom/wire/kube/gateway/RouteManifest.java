// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.manifest.Manifest;
import java.util.List;
import java.util.stream.Stream;

/// A route of the Gateway API: which requests or connections that reach its parents go to which backends.
public sealed interface RouteManifest extends Manifest
        permits HttpRouteManifest, GrpcRouteManifest, TcpRouteManifest, TlsRouteManifest {
    String GROUP = "gateway.networking.k8s.io";

    List<ParentRef> parents();

    /// Those it is for, possibly with a leading `*.`; empty for all.
    List<String> hostnames();

    /// Everything that its rules name as a backend, also in filters.
    Stream<BackendRef> backends();

    /// Everything that its rules ask for on the way.
    default Stream<RouteFilter> filters() {
        return Stream.empty();
    }

    /// As the Gateway API calls it.
    String kind();

    /// What a route attaches to: a Gateway or a ListenerSet, or a Service for traffic inside the mesh.
    ///
    /// @param namespace empty for that of the route
    /// @param section a listener or port by name; empty for all
    /// @param port 0 for all
    record ParentRef(String group, String kind, String namespace, String name, String section, int port) {
        public boolean isGateway() {
            return group.equals(GROUP) && kind.equals("Gateway");
        }

        public boolean isListenerSet() {
            return group.equals(GROUP) && kind.equals(ListenerSetManifest.KIND);
        }

        /// Whether it is for what comes into the mesh.
        public boolean isEntrance() {
            return isGateway() || isListenerSet();
        }

        /// Who leaves the group out means a Service all the same; an API server fills in its own group then.
        public boolean isService() {
            return (group.isEmpty() || group.equals(GROUP)) && kind.equals("Service");
        }

        /// In which namespace it is, for a route of that one.
        public String namespaceFor(String route) {
            return namespace.isEmpty() ? route : namespace;
        }
    }

    /// Where requests go.
    ///
    /// @param namespace empty for that of the route
    /// @param port 0 when not set
    record BackendRef(String group, String kind, String namespace, String name, int port) {
        /// In which namespace it is, for a route of that one.
        public String namespaceFor(String route) {
            return namespace.isEmpty() ? route : namespace;
        }
    }

    /// A backend with its share, and what happens only to requests for it.
    ///
    /// @param weight relative to the other backends of the rule; 0 for nothing
    record WeightedBackend(BackendRef target, int weight, List<RouteFilter> filters) {
        public WeightedBackend {
            filters = List.copyOf(filters);
        }

        Stream<BackendRef> targets() {
            return Stream.concat(Stream.of(target), filters.stream().flatMap(RouteFilter::backends));
        }
    }

    /// A rule of a route for connections.
    record ConnectionRule(String name, List<WeightedBackend> backends) {
        public ConnectionRule {
            backends = List.copyOf(backends);
        }
    }

    /// A header or query parameter by name.
    record ValueMatch(String name, Comparison comparison, String value) {}

    enum Comparison {
        EXACT,
        REGEX
    }
}
