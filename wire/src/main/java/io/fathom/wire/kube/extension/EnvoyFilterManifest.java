// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.extension;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// An EnvoyFilter: changes to what proxies are told, as its author wrote them.
///
/// @param selector labels of the proxies; empty when it has none
/// @param priority lower ones are applied first
public record EnvoyFilterManifest(
        Metadata metadata,
        Optional<Map<String, String>> selector,
        List<PolicyTarget> targets,
        int priority,
        List<Patch> patches)
        implements Manifest {

    public enum ApplyTo {
        LISTENER,
        FILTER_CHAIN,
        NETWORK_FILTER,
        HTTP_FILTER,
        ROUTE_CONFIGURATION,
        VIRTUAL_HOST,
        HTTP_ROUTE,
        CLUSTER,
        EXTENSION_CONFIG,
        BOOTSTRAP,
        LISTENER_FILTER
    }

    public enum Context {
        ANY,
        SIDECAR_INBOUND,
        SIDECAR_OUTBOUND,
        GATEWAY,
        WAYPOINT
    }

    public enum Operation {
        MERGE,
        ADD,
        REMOVE,
        INSERT_BEFORE,
        INSERT_AFTER,
        INSERT_FIRST,
        REPLACE,
        MERGE_AND_REPLACE_LIST
    }

    public enum FilterClass {
        UNSPECIFIED,
        AUTHN,
        AUTHZ,
        STATS
    }

    /// One change.
    ///
    /// @param value a JSON object; empty when there is none
    public record Patch(
            ApplyTo applyTo,
            Context context,
            ProxyMatch proxy,
            ObjectMatch match,
            Operation operation,
            FilterClass filterClass,
            String value) {}

    /// Which proxies a patch is for.
    ///
    /// @param version a regular expression; empty for any
    public record ProxyMatch(String version, Map<String, String> metadata) {
        public static final ProxyMatch ANY = new ProxyMatch("", Map.of());

        public ProxyMatch {
            metadata = Map.copyOf(metadata);
        }
    }

    /// Which object a patch is for. Empty text and 0 match anything.
    public sealed interface ObjectMatch {}

    /// No match: any object.
    public record AnyObject() implements ObjectMatch {}

    public record ListenerMatch(
            int port,
            String name,
            String listenerFilter,
            String chain,
            String sni,
            String transportProtocol,
            String applicationProtocols,
            int destinationPort,
            String filter,
            String subFilter)
            implements ObjectMatch {}

    public record RoutesMatch(
            int port,
            String portName,
            String gateway,
            String name,
            String virtualHost,
            String domain,
            String route,
            RouteAction action)
            implements ObjectMatch {}

    public enum RouteAction {
        ANY,
        ROUTE,
        REDIRECT,
        DIRECT_RESPONSE
    }

    public record ClusterMatch(int port, String service, String subset, String name) implements ObjectMatch {}

    public record WaypointMatch(int port, String route, String filter, String subFilter) implements ObjectMatch {}

    public EnvoyFilterManifest {
        selector = selector.map(Map::copyOf);
        targets = List.copyOf(targets);
        patches = List.copyOf(patches);
    }
}
