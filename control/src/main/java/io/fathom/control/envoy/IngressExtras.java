// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.envoyproxy.envoy.config.accesslog.v3.AccessLog;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.ingress.ChainParts;
import io.fathom.control.envoy.policy.HttpPolicy;
import io.fathom.control.envoy.telemetry.RequestTracing;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.wire.kube.extension.TrafficExtension.Phase;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// What policies, telemetry and extensions add to the chains of ingress proxies. A row for each group, made again when
/// one of these changes; extensions may differ from port to port.
final class IngressExtras {
    /// @param uses the clusters that are asked, or told something
    private record Shared(
            HttpPolicy requests,
            List<Filter> connections,
            List<AccessLog> httpLogs,
            List<AccessLog> tcpLogs,
            RequestTracing tracing,
            Map<ResourceKey, ClusterUse> uses) {
        static final Shared NOTHING =
                new Shared(HttpPolicy.NONE, List.of(), List.of(), List.of(), RequestTracing.NONE, Map.of());
    }

    private final Rulebook rulebook;
    private final Table<ObjectKey, Shared> shared;
    private final Table<ResourceKey, ClusterUse> uses;

    IngressExtras(MeshFlow mesh, Groups groups, MeshServices services, Rulebook rulebook) {
        this.rulebook = rulebook;
        shared = mesh.flow()
                .derive(
                        "envoy/ingress-extras",
                        groups.table(),
                        (fetch, group) -> group.proxies().role() == ProxyRole.INGRESS
                                ? Optional.of(shared(
                                        fetch,
                                        group,
                                        new RecordedDestinations(fetch, group.key(), services, _ -> false)))
                                : Optional.empty());
        uses = mesh.flow().deriveMany("envoy/ingress-uses-of-extras", shared, (_, row) -> row.uses());
    }

    Table<ResourceKey, ClusterUse> uses() {
        return uses;
    }

    private Shared shared(Fetch<?> fetch, Group group, RecordedDestinations destinations) {
        var requests = rulebook.policies().http(fetch, group.proxies(), Optional.empty(), destinations);
        var connections = rulebook.policies().tcp(fetch, group.proxies(), Optional.empty(), destinations);
        var users = rulebook.users();
        var situation = users.situation(fetch, group.proxies(), Optional.empty());
        var telemetry = users.telemetry(fetch, situation, destinations);
        return new Shared(
                requests,
                connections.filters(),
                telemetry.httpLogs(),
                telemetry.tcpLogs(),
                telemetry.requestTracing(),
                destinations.uses());
    }

    /// For a port of a group.
    ///
    /// @param wanted by the routes of that port
    ChainParts of(Fetch<?> fetch, Group group, int port, List<HttpFilter> wanted) {
        var own = fetch.one(shared, group.key()).orElse(Shared.NOTHING);
        var users = rulebook.users();
        var extensions = users.extensions(fetch, users.situation(fetch, group.proxies(), Optional.empty()));
        Function<Phase, List<HttpFilter>> http = phase -> extensions.http(phase, port);
        Function<Phase, List<Filter>> network = phase -> extensions.network(phase, port);
        return new ChainParts(
                all(Stream.of(
                        own.requests().custom(),
                        http.apply(Phase.AUTHN),
                        own.requests().authentication(),
                        http.apply(Phase.AUTHZ),
                        own.requests().authorization())),
                all(Stream.of(wanted, http.apply(Phase.STATS), http.apply(Phase.UNSPECIFIED))),
                all(Stream.of(
                        network.apply(Phase.AUTHN),
                        network.apply(Phase.AUTHZ),
                        own.connections(),
                        network.apply(Phase.STATS),
                        network.apply(Phase.UNSPECIFIED))),
                own.httpLogs(),
                own.tcpLogs(),
                own.tracing());
    }

    private static <T> List<T> all(Stream<List<T>> lists) {
        return lists.flatMap(List::stream).toList();
    }
}
