// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.http.cors.v3.Cors;
import io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.fathom.control.envoy.Plain;
import io.fathom.control.envoy.Sketch;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.wire.kube.extension.EnvoyFilterManifest;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EnvoyFiltersTest {
    private static final ProxyGroup INGRESS = Sketch.proxies(ProxyRole.INGRESS, "edge", "gateway");
    private static final ProxyGroup WAYPOINT = Sketch.proxies(ProxyRole.WAYPOINT, "apps", "waypoint");
    private static final String CHAIN = "inbound-vip|80|http|echo.apps.svc.cluster.local";

    private static final HttpConnectionManager MANAGER = HttpConnectionManager.newBuilder()
            .setStatPrefix("http")
            .setRouteConfig(Plain.routes("http.80", Plain.route("/a", "a"), Plain.route("/", "b")))
            .addHttpFilters(Plain.filter("envoy.filters.http.rbac", RBAC.getDefaultInstance()))
            .addHttpFilters(Plain.filter("envoy.filters.http.cors", Cors.getDefaultInstance()))
            .addHttpFilters(Plain.router())
            .build();

    private static EnvoyFilterManifest filter(String namespace, String patches) {
        return Sketch.one(EnvoyFilterManifest.class, """
                apiVersion: networking.istio.io/v1alpha3
                kind: EnvoyFilter
                metadata: {name: own, namespace: %s}
                spec:
                %s""".formatted(namespace, patches.indent(2)));
    }

    private static EnvoyFilters at(ProxyGroup group, EnvoyFilterManifest... filters) {
        return EnvoyFilters.of("istio-system", group, List.of(filters));
    }

    private static Listener listener() {
        return Plain.listener("0.0.0.0_80", Plain.manager(MANAGER)).toBuilder()
                .setAddress(Plain.address(80))
                .build();
    }

    private static HttpConnectionManager manager(Listener listener) {
        return listener.getFilterChains(0).getFiltersList().stream()
                .filter(filter -> filter.getName().equals(Plain.MANAGER))
                .map(filter -> {
                    try {
                        return filter.getTypedConfig().unpack(HttpConnectionManager.class);
                    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                        throw new AssertionError(e);
                    }
                })
                .findFirst()
                .orElseThrow();
    }

    private static String httpFilter(String operation, String sub, String more) {
        return """
                configPatches:
                - applyTo: HTTP_FILTER
                  match:
                    context: GATEWAY
                    listener:
                      filterChain:
                        filter:
                          name: envoy.filters.network.http_connection_manager
                          subFilter: {name: %s}
                  patch:
                    operation: %s
                %s    value:
                      name: new
                      typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.grpc_web.v3.GrpcWeb}
                """.formatted(sub, operation, more.isEmpty() ? "" : more.indent(4));
    }

    static Stream<Arguments> httpFilters() {
        var rbac = "envoy.filters.http.rbac";
        var cors = "envoy.filters.http.cors";
        var router = "envoy.filters.http.router";
        return Stream.of(
                argumentSet("first", httpFilter("INSERT_FIRST", "''", ""), List.of("new", rbac, cors, router)),
                argumentSet("before one", httpFilter("INSERT_BEFORE", cors, ""), List.of(rbac, "new", cors, router)),
                argumentSet("after one", httpFilter("INSERT_AFTER", rbac, ""), List.of(rbac, "new", cors, router)),
                argumentSet(
                        "after the router", httpFilter("INSERT_AFTER", router, ""), List.of(rbac, cors, "new", router)),
                argumentSet(
                        "before one that is not there",
                        httpFilter("INSERT_BEFORE", "x", ""),
                        List.of(rbac, cors, router)),
                argumentSet("added", httpFilter("ADD", "''", ""), List.of(rbac, cors, "new", router)),
                argumentSet(
                        "added by class",
                        httpFilter("ADD", "''", "filterClass: AUTHZ"),
                        List.of("new", rbac, cors, router)),
                argumentSet(
                        "added for stats",
                        httpFilter("ADD", "''", "filterClass: STATS"),
                        List.of(rbac, cors, "new", router)),
                argumentSet("replaced", httpFilter("REPLACE", cors, ""), List.of(rbac, "new", router)),
                argumentSet("removed", httpFilter("REMOVE", cors, ""), List.of(rbac, router)));
    }

    @ParameterizedTest
    @MethodSource("httpFilters")
    void whenFiltersAreChanged(String patches, List<String> want) {
        var patched = at(INGRESS, filter("edge", patches)).listener(listener()).orElseThrow();
        assertThat(manager(patched).getHttpFiltersList())
                .extracting(HttpFilter::getName)
                .isEqualTo(want);
    }

    @Test
    void givenAMergeOfTheManager_thenItsFieldsAreMerged() {
        var patched = at(INGRESS, filter("edge", """
                configPatches:
                - applyTo: NETWORK_FILTER
                  match: {listener: {portNumber: 80, filterChain: {filter: {name: envoy.filters.network.http_connection_manager}}}}
                  patch:
                    operation: MERGE
                    value:
                      typed_config:
                        "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                        server_name: mine
                        stream_idle_timeout: 5s
                """)).listener(listener()).orElseThrow();
        var manager = manager(patched);
        assertThat(manager.getServerName()).isEqualTo("mine");
        assertThat(manager.getStreamIdleTimeout().getSeconds()).isEqualTo(5);
        assertThat(manager.getStatPrefix()).isEqualTo("http");
        assertThat(manager.getHttpFiltersList()).hasSize(3);
    }

    @Test
    void givenListenersAndChains_thenTheyAreMergedAddedAndRemoved() {
        var patches = at(INGRESS, filter("edge", """
                configPatches:
                - applyTo: LISTENER
                  match: {listener: {portNumber: 80}}
                  patch: {operation: MERGE, value: {per_connection_buffer_limit_bytes: 1000}}
                - applyTo: LISTENER
                  match: {listener: {name: gone}}
                  patch: {operation: REMOVE}
                - applyTo: LISTENER
                  patch: {operation: ADD, value: {name: more}}
                - applyTo: FILTER_CHAIN
                  match: {listener: {portNumber: 80}}
                  patch: {operation: ADD, value: {name: second}}
                - applyTo: LISTENER_FILTER
                  patch: {operation: ADD, value: {name: inspector}}
                - applyTo: NETWORK_FILTER
                  match: {listener: {portNumber: 80, filterChain: {name: "0.0.0.0_80"}}}
                  patch: {operation: INSERT_FIRST, value: {name: gate}}
                """));
        var patched = patches.listener(listener()).orElseThrow();
        assertThat(patched.getPerConnectionBufferLimitBytes().getValue()).isEqualTo(1000);
        assertThat(patched.getFilterChainsList())
                .extracting(FilterChain::getName)
                .containsExactly("0.0.0.0_80", "second");
        assertThat(patched.getFilterChains(0).getFiltersList())
                .extracting(Filter::getName)
                .containsExactly("gate", Plain.MANAGER);
        assertThat(patched.getListenerFilters(0).getName()).isEqualTo("inspector");
        assertThat(patches.addedListeners()).extracting(Listener::getName).containsExactly("more");
        assertThat(patches.listener(Listener.newBuilder().setName("gone").build()))
                .isEmpty();
        var other = listener().toBuilder().setAddress(Plain.address(81)).build();
        assertThat(patches.listener(other).orElseThrow().getFilterChainsList()).hasSize(1);
    }

    @Test
    void givenRoutes_thenTheyArePatchedInline_andOnTheirOwn() {
        var patches = at(INGRESS, filter("edge", """
                configPatches:
                - applyTo: ROUTE_CONFIGURATION
                  match: {routeConfiguration: {portNumber: 80}}
                  patch: {operation: MERGE, value: {response_headers_to_remove: [server]}}
                - applyTo: VIRTUAL_HOST
                  match: {routeConfiguration: {name: http.80, vhost: {name: all}}}
                  patch: {operation: MERGE, value: {request_headers_to_remove: [x]}}
                - applyTo: HTTP_ROUTE
                  match: {routeConfiguration: {vhost: {route: {name: a}}}}
                  patch: {operation: MERGE, value: {route: {timeout: 3s}}}
                - applyTo: HTTP_ROUTE
                  match: {routeConfiguration: {vhost: {name: all}}}
                  patch: {operation: INSERT_FIRST, value: {name: first, match: {path: /x}, direct_response: {status: 204}}}
                """));
        var inline = manager(patches.listener(listener()).orElseThrow()).getRouteConfig();
        assertThat(inline.getResponseHeadersToRemoveList()).containsExactly("server");
        var host = inline.getVirtualHosts(0);
        assertThat(host.getRequestHeadersToRemoveList()).containsExactly("x");
        assertThat(host.getRoutesList()).extracting(Route::getName).containsExactly("first", "a", "b");
        assertThat(host.getRoutes(1).getRoute().getTimeout().getSeconds()).isEqualTo(3);
        assertThat(host.getRoutes(1).getRoute().getCluster()).isEqualTo("a");
        var other = Plain.routes("http.81", Plain.route("/", "b"));
        assertThat(patches.routes(other).getResponseHeadersToRemoveList()).isEmpty();
        assertThat(patches.routes(other).getVirtualHostsList())
                .extracting(VirtualHost::getName)
                .containsExactly("all");
    }

    @Test
    void givenClusters_thenTheyAreFoundByServicePortAndSubset() throws Exception {
        var patches = at(INGRESS, filter("edge", """
                configPatches:
                - applyTo: CLUSTER
                  match: {cluster: {service: echo.apps.svc.cluster.local, portNumber: 80, subset: v1}}
                  patch:
                    operation: MERGE
                    value:
                      connect_timeout: 7s
                      typed_extension_protocol_options:
                        envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
                          "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
                          common_http_protocol_options: {max_requests_per_connection: 9}
                - applyTo: CLUSTER
                  match: {cluster: {name: gone}}
                  patch: {operation: REMOVE}
                - applyTo: CLUSTER
                  patch: {operation: ADD, value: {name: more, type: STRICT_DNS}}
                """));
        var options = HttpProtocolOptions.newBuilder();
        options.getExplicitHttpConfigBuilder().getHttp2ProtocolOptionsBuilder();
        options.getCommonHttpProtocolOptionsBuilder().getIdleTimeoutBuilder().setSeconds(4);
        var name = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
        var cluster = Plain.cluster("outbound|80|v1|echo.apps.svc.cluster.local", 1, "").toBuilder()
                .putTypedExtensionProtocolOptions(name, com.google.protobuf.Any.pack(options.build()))
                .build();
        var patched = patches.cluster(cluster).orElseThrow();
        assertThat(patched.getConnectTimeout().getSeconds()).isEqualTo(7);
        var merged = patched.getTypedExtensionProtocolOptionsOrThrow(name).unpack(HttpProtocolOptions.class);
        assertThat(merged.getCommonHttpProtocolOptions()
                        .getMaxRequestsPerConnection()
                        .getValue())
                .isEqualTo(9);
        assertThat(merged.getCommonHttpProtocolOptions().getIdleTimeout().getSeconds())
                .isEqualTo(4);
        assertThat(merged.getExplicitHttpConfig().hasHttp2ProtocolOptions()).isTrue();
        var other = Plain.cluster("outbound|80||echo.apps.svc.cluster.local", 1, "");
        assertThat(patches.cluster(other)).contains(other);
        assertThat(patches.cluster(Cluster.newBuilder().setName("gone").build()))
                .isEmpty();
        assertThat(patches.addedClusters()).extracting(Cluster::getName).containsExactly("more");
    }

    @Test
    void givenAWaypoint_thenChainsCountAsListenersOfTheirPorts() {
        var main = Listener.newBuilder()
                .setName("main_internal")
                .setInternalListener(Listener.InternalListenerConfig.getDefaultInstance())
                .addFilterChains(FilterChain.newBuilder().setName(CHAIN).addFilters(Plain.manager(MANAGER)))
                .addFilterChains(FilterChain.newBuilder()
                        .setName(CHAIN.replace("|80|", "|81|"))
                        .addFilters(Plain.manager(MANAGER)))
                .build();
        var patches = at(WAYPOINT, filter("apps", """
                targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: waypoint}]
                configPatches:
                - applyTo: HTTP_FILTER
                  match: {context: WAYPOINT, waypoint: {portNumber: 80, filter: {subFilter: {name: envoy.filters.http.router}}}}
                  patch: {operation: INSERT_BEFORE, value: {name: new}}
                - applyTo: HTTP_FILTER
                  match: {context: GATEWAY}
                  patch: {operation: INSERT_FIRST, value: {name: other}}
                """));
        var patched = patches.listener(main).orElseThrow();
        assertThat(manager(patched).getHttpFiltersList()).hasSize(4);
        assertThat(manager(patched.toBuilder().removeFilterChains(0).build()).getHttpFiltersList())
                .hasSize(3);
    }

    @Test
    void givenOthers_thenTheyDoNotReach() {
        var patch = "configPatches: [{applyTo: CLUSTER, patch: {operation: ADD, value: {name: x}}}]";
        assertThat(at(WAYPOINT, filter("apps", patch)).isEmpty()).isTrue();
        assertThat(at(INGRESS, filter("apps", patch)).isEmpty()).isTrue();
        assertThat(at(INGRESS, filter("edge", "workloadSelector: {labels: {app: other}}\n" + patch))
                        .isEmpty())
                .isTrue();
        assertThat(at(INGRESS, filter("istio-system", patch)).isEmpty()).isFalse();
        assertThat(at(INGRESS, filter("edge", "workloadSelector: {labels: {app: gateway}}\n" + patch))
                        .isEmpty())
                .isFalse();
        assertThat(at(INGRESS).isEmpty()).isTrue();
    }

    @Test
    void givenPriorities_thenLowerOnesAreAppliedFirst_afterThoseOfTheMesh() {
        var add = "configPatches: [{applyTo: CLUSTER, patch: {operation: ADD, value: {name: %s}}}]";
        var patches = at(
                INGRESS,
                filter("edge", "priority: 5\n" + add.formatted("second")),
                filter("edge", "priority: -5\n" + add.formatted("first")),
                filter("istio-system", "priority: 9\n" + add.formatted("mesh")));
        assertThat(patches.addedClusters()).extracting(Cluster::getName).containsExactly("mesh", "first", "second");
    }

    static Stream<Arguments> problems() {
        return Stream.of(
                argumentSet(
                        "bootstrap",
                        "{applyTo: BOOTSTRAP, patch: {operation: MERGE, value: {}}}",
                        "envoyfilter-unsupported"),
                argumentSet(
                        "an operation that is not there",
                        "{applyTo: CLUSTER, patch: {operation: INSERT_FIRST, value: {}}}",
                        "envoyfilter-unsupported"),
                argumentSet(
                        "lists that are replaced",
                        "{applyTo: HTTP_FILTER, patch: {operation: MERGE_AND_REPLACE_LIST, value: {name: x}}}",
                        "envoyfilter-unsupported"),
                argumentSet(
                        "a match by version",
                        "{applyTo: CLUSTER, match: {proxy: {proxyVersion: 1.*}}, patch: {operation: REMOVE}}",
                        "envoyfilter-unsupported"),
                argumentSet(
                        "a field that is not there",
                        "{applyTo: CLUSTER, patch: {operation: MERGE, value: {conect_timeout: 1s}}}",
                        "envoyfilter-bad-value"),
                argumentSet(
                        "a type that is not there",
                        "{applyTo: HTTP_FILTER, patch: {operation: ADD, value: {typed_config: {'@type': x/envoy.No}}}}",
                        "envoyfilter-bad-value"),
                argumentSet("no value", "{applyTo: CLUSTER, patch: {operation: ADD}}", "envoyfilter-no-value"),
                argumentSet(
                        "sidecars",
                        "{applyTo: CLUSTER, match: {context: SIDECAR_INBOUND}, patch: {operation: REMOVE}}",
                        "envoyfilter-no-sidecars"));
    }

    @ParameterizedTest
    @MethodSource("problems")
    void whenAPatchCannotBeApplied(String patch, String code) {
        var filter = filter("edge", "configPatches: [" + patch + "]");
        assertThat(EnvoyFilters.problems(filter)).singleElement().satisfies(problem -> {
            assertThat(problem.problem().code()).isEqualTo(code);
            assertThat(problem.problem().message()).startsWith("EnvoyFilter edge/own: configPatches[0] ");
        });
        assertThat(at(INGRESS, filter).isEmpty()).isTrue();
    }

    @Test
    void givenATypeThatIsNewerThanOurs_thenATypedStructCarriesIt() {
        var filter = filter("edge", """
                configPatches:
                - applyTo: HTTP_FILTER
                  patch:
                    operation: ADD
                    value:
                      name: newer
                      typed_config:
                        "@type": type.googleapis.com/xds.type.v3.TypedStruct
                        type_url: type.googleapis.com/envoy.extensions.filters.http.newer.v3.Newer
                        value: {a: 1}
                """);
        assertThat(EnvoyFilters.problems(filter)).isEmpty();
    }
}
