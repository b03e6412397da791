// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.route.v3.RetryPolicy;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.extensions.filters.http.stateful_session.v3.StatefulSession;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState;
import io.envoyproxy.envoy.type.http.v3.Cookie;
import io.fathom.control.envoy.StockEnvoy;
import io.fathom.control.envoy.cluster.Lab.Pod;
import io.fathom.control.envoy.view.Member;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.wire.kube.networking.DestinationRuleManifest.Subset;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConsistentHash;
import io.fathom.wire.kube.traffic.TrafficPolicy.Distribution;
import io.fathom.wire.kube.traffic.TrafficPolicy.H2Upgrade;
import io.fathom.wire.kube.traffic.TrafficPolicy.HashKey;
import io.fathom.wire.kube.traffic.TrafficPolicy.LoadBalancer;
import io.fathom.wire.kube.traffic.TrafficPolicy.LocalityBalancing;
import io.fathom.wire.kube.traffic.TrafficPolicy.ProxyProtocol;
import io.fathom.wire.kube.traffic.TrafficPolicy.RetryBudget;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Clusters of a waypoint in a stock Envoy, with real tunnels to real servers. Each case has a path of its own.
@Tag("slow")
class ClusterTrafficTest {
    @TempDir
    static Path folder;

    private static final Lab lab = new Lab();
    private static final List<Cluster> clusters = new ArrayList<>();
    private static final List<Route> routes = new ArrayList<>();
    private static Pod near;
    private static Pod far;
    private static Pod plain;
    private static Pod failing;
    private static Pod steady;
    private static Pod slow;
    private static Pod shaky;
    private static HeaderEcho header;
    private static StockEnvoy envoy;
    private static Calls calls;

    @BeforeAll
    static void start() throws Exception {
        near = lab.meshPod("near");
        far = lab.meshPod("far");
        plain = lab.outsidePod("plain");
        failing = lab.meshPod("failing");
        steady = lab.meshPod("steady");
        slow = lab.meshPod("slow");
        shaky = lab.meshPod("shaky");
        header = new HeaderEcho(Lab.freshAddress());
        lab.tunnelEnd(header.address, header.address + ":" + header.port(), header.address, header.port());

        add("/mixed", Policies.balancer(TrafficPolicy.Simple.ROUND_ROBIN), mesh(near), outside(plain));
        add("/eject", Policies.outliers(1, Duration.ofMillis(100), Duration.ofSeconds(1)), mesh(failing), mesh(steady));
        addSubsets();
        add(
                "/proxy",
                Policies.proxyProtocol(ProxyProtocol.V1),
                Drafts.member("header", header.address, header.port()).build());
        addHashed("/hash-header", new HashKey.Header("x-user"), new ConsistentHash.HashTable.Ring(0));
        addHashed("/hash-query", new HashKey.QueryParameter("user"), new ConsistentHash.HashTable.Maglev(101));
        addHashed("/hash-source", new HashKey.SourceIp(), new ConsistentHash.HashTable.Ring(0));
        addHashed(
                "/hash-cookie",
                new HashKey.Cookie("who", "/hash-cookie", Optional.of(Duration.ofHours(1)), Map.of()),
                new ConsistentHash.HashTable.Ring(0));
        addPlaced();
        add("/limited", Policies.limits(1, 1), mesh(slow));
        var budget = new RetryBudget(OptionalDouble.of(20), OptionalInt.of(1), Optional.of(Duration.ofSeconds(10)));
        var budgeted = new ServiceTraffic(Optional.empty(), List.of(), Optional.of(budget));
        add("/budget", service("/budget"), budgeted, ProxyLocation.on(""), mesh(shaky));

        addUpgraded("/upgraded", TrafficPolicy.NONE);
        addUpgraded("/kept", Policies.upgrade(H2Upgrade.DO_NOT_UPGRADE));

        var session = HttpFilter.newBuilder()
                .setName("envoy.filters.http.stateful_session")
                .setTypedConfig(Any.pack(StatefulSession.newBuilder()
                        .setSessionState(io.envoyproxy.envoy.config.core.v3.TypedExtensionConfig.newBuilder()
                                .setName("envoy.http.stateful_session.cookie")
                                .setTypedConfig(Any.pack(CookieBasedSessionState.newBuilder()
                                        .setCookie(Cookie.newBuilder()
                                                .setName("stay")
                                                .setPath("/mixed"))
                                        .build())))
                        .build()))
                .build();
        clusters.addAll(new FixedClusters(ProxySettings.of(lab.tls())).ofWaypoint());
        envoy = lab.start(
                folder,
                List.of(
                        Envoys.entrance(Envoys.manager(routes).addHttpFilters(0, session)),
                        Envoys.connectOriginate(),
                        Envoys.connectOriginate().toBuilder()
                                .setName("main_internal")
                                .build()),
                clusters);
        calls = new Calls(envoy);
    }

    @AfterAll
    static void stop() throws Exception {
        lab.close();
        if (header != null) {
            header.close();
        }
    }

    private static Member mesh(Pod pod) {
        return Drafts.member(pod.name, pod.address, pod.port()).build();
    }

    private static Member outside(Pod pod) {
        return Drafts.member(pod.name, pod.address, pod.port()).plain().build();
    }

    private static MeshService service(String path) {
        var draft = Drafts.service();
        draft.host = path.substring(1) + ".shop.svc.cluster.local";
        return draft.build();
    }

    /// A service of that name behind the waypoint, with these members, reached by a path.
    private static void add(String path, TrafficPolicy policy, Member... members) {
        add(path, policy, ProxyLocation.on(""), members);
    }

    private static void add(String path, TrafficPolicy policy, ProxyLocation from, Member... members) {
        add(path, service(path), Drafts.traffic(policy), from, members);
    }

    private static void add(
            String path, MeshService service, ServiceTraffic traffic, ProxyLocation from, Member... members) {
        add(ProxySettings.of(lab.tls()), path, service, traffic, from, members);
    }

    private static void add(
            ProxySettings settings,
            String path,
            MeshService service,
            ServiceTraffic traffic,
            ProxyLocation from,
            Member... members) {
        var own = Stream.of(members).map(member -> behind(member, service)).toList();
        for (var built : new Clusters(settings).behindWaypoint(service, Drafts.HTTP, traffic, List::of)) {
            clusters.add(Envoys.inline(built, Endpoints.of(built.endpoints().orElseThrow(), service, own, from)));
            var action = RouteAction.newBuilder().setCluster(built.name().toString());
            var subset = built.name().subset().replace("http", "").replace("/", "");
            traffic.hashing(Drafts.PORT, subset).ifPresent(hash -> action.addHashPolicy(HashPolicies.of(hash)));
            traffic.retryBudget()
                    .ifPresent(_ -> action.setRetryPolicy(
                            RetryPolicy.newBuilder().setRetryOn("5xx").setNumRetries(Protos.number(1))));
            routes.add(Envoys.route(path + (subset.isEmpty() ? "" : "-" + subset), action));
        }
    }

    /// The member, with its port at another service.
    private static Member behind(Member member, MeshService service) {
        var workload = member.workload();
        var port = workload.services().values().iterator().next().getFirst().targetPort();
        var draft =
                Drafts.member(workload.name(), workload.addresses().getFirst().toString(), port);
        draft.host = service.service().key();
        draft.tunnel = workload.tunnelProtocol();
        draft.labels = member.labels();
        draft.locality = workload.locality();
        draft.node = workload.node();
        return draft.build();
    }

    private static void addSubsets() {
        var labels = Stream.of(near, far)
                .map(pod -> Drafts.member(pod.name, pod.address, pod.port())
                        .labelled("version", pod.name)
                        .build())
                .toArray(Member[]::new);
        var traffic = Drafts.traffic(
                TrafficPolicy.NONE,
                new Subset("near", Map.of("version", "near"), TrafficPolicy.NONE, Map.of()),
                new Subset("far", Map.of("version", "far"), TrafficPolicy.NONE, Map.of()));
        // the longer paths first: a prefix takes all that begins with it
        var before = routes.size();
        add("/parts", service("/parts"), traffic, ProxyLocation.on(""), labels);
        var added = new ArrayList<>(routes.subList(before, routes.size()));
        routes.subList(before, routes.size()).clear();
        routes.addAll(added.reversed());
    }

    private static void addHashed(String path, HashKey key, ConsistentHash.HashTable table) {
        add(
                path,
                Drafts.balanced(new LoadBalancer(
                        Optional.empty(),
                        Optional.of(new ConsistentHash(key, table)),
                        Optional.empty(),
                        Optional.empty())),
                mesh(near),
                mesh(far),
                mesh(steady));
    }

    private static Member at(Pod pod, String place) {
        return Drafts.member(pod.name, pod.address, pod.port()).in(place).build();
    }

    private static void addPlaced() {
        var here = new ProxyLocation("", "", "", io.fathom.model.mesh.Locality.parse("r/a"), Map.of());
        var distribute = new LocalityBalancing(
                LocalityBalancing.Switch.ON,
                List.of(new Distribution("r/a/*", Map.of("r/a/*", 80, "r/b/*", 20))),
                List.of(),
                List.of());
        add("/shares", Policies.locality(distribute), here, at(near, "r/a"), at(far, "r/b"), at(steady, "q/c"));
        // nobody listens at the first address: its endpoint is ejected, and the region behind it takes over
        var gone =
                Drafts.member("gone", Lab.freshAddress(), 1).plain().in("r/a").build();
        add("/failover", Policies.outliers(1, Duration.ofMillis(100), Duration.ofHours(1)), here, gone, at(far, "q/c"));
        add(
                "/near",
                Policies.outliers(1, Duration.ofMillis(100), Duration.ofHours(1)),
                here,
                at(near, "r/a"),
                at(far, "q/c"));
    }

    /// In a mesh that wants HTTP/2.
    private static void addUpgraded(String path, TrafficPolicy policy) {
        var settings = MeshDefaultsTest.settings(Optional.empty(), H2Upgrade.UPGRADE);
        add(settings, path, service(path), Drafts.traffic(policy), ProxyLocation.on(""), mesh(near));
    }

    /// Pods here speak HTTP/1 only, so that one can tell.
    @Test
    void givenAMeshThatUpgrades_thenHttp2IsSpokenUnlessARuleSaysOtherwise() throws Exception {
        assertThat(calls.get("/upgraded").statusCode()).isGreaterThanOrEqualTo(500);
        assertThat(stat("upgraded", "upstream_cx_http2_total")).isPositive();
        assertThat(stat("upgraded", "upstream_cx_http1_total")).isZero();

        assertThat(calls.pod("/kept")).isEqualTo("near");
        assertThat(stat("kept", "upstream_cx_http2_total")).isZero();
    }

    /// Case 26.
    @Test
    void givenMeshAndPlainEndpointsInOneCluster_thenBothAreReached() throws Exception {
        assertThat(calls.pods("/mixed", 20)).containsOnlyKeys("near", "plain");
    }

    /// Case 62.
    @Test
    void givenAnEndpointThatFails_thenItIsLeftAloneForAWhile() throws Exception {
        failing.answers(503);
        Awaitility.await("both to be used, and one to be ejected")
                .atMost(Duration.ofSeconds(30))
                .until(() -> {
                    calls.pod("/eject");
                    return stat("eject", "outlier_detection.ejections_active") == 1;
                });
        assertThat(calls.pods("/eject", 10)).containsOnlyKeys("steady");

        failing.answers(200);
        Awaitility.await("its return")
                .atMost(Duration.ofSeconds(60))
                .until(() -> calls.pods("/eject", 10).containsKey("failing"));
    }

    private static long stat(String service, String name) throws Exception {
        return envoy.stat("cluster.inbound-vip|80|http|" + service + ".shop.svc.cluster.local;." + name);
    }

    /// Case 63.
    @Test
    void givenSubsets_thenOnlyTheirMembersAreReached() throws Exception {
        assertThat(calls.pods("/parts-near", 10)).containsOnlyKeys("near");
        assertThat(calls.pods("/parts-far", 10)).containsOnlyKeys("far");
        assertThat(calls.pods("/parts", 40)).containsOnlyKeys("near", "far");
    }

    /// Case 66.
    @Test
    void givenProxyProtocol_thenItIsInsideTheTunnel() throws Exception {
        assertThat(calls.get("/proxy").headers().firstValue("x-first-line").orElse(""))
                .startsWith("PROXY TCP4 127.0.0.1 ");
    }

    /// Case 67.
    @Test
    void givenConsistentHash_thenEqualRequestsGoToTheSameEndpoint() throws Exception {
        var byHeader = new HashSet<String>();
        var byQuery = new HashSet<String>();
        for (int user = 0; user < 30; user++) {
            var name = "user-" + user;
            var first = calls.pod("/hash-header", "x-user", name);
            assertThat(calls.pod("/hash-header", "x-user", name)).isEqualTo(first);
            byHeader.add(first);
            var second = calls.pod("/hash-query?user=" + name);
            assertThat(calls.pod("/hash-query?user=" + name)).isEqualTo(second);
            byQuery.add(second);
        }
        assertThat(byHeader).hasSizeGreaterThan(1);
        assertThat(byQuery).hasSizeGreaterThan(1);
        assertThat(calls.pods("/hash-source", 20)).hasSize(1);
    }

    /// Case 67.
    @Test
    void givenConsistentHashByCookie_thenTheProxySetsIt() throws Exception {
        var first = calls.get("/hash-cookie");
        var cookie = first.headers().firstValue("set-cookie").orElseThrow();
        assertThat(cookie).startsWith("who=").contains("Max-Age=3600");
        var pod = first.headers().firstValue("x-pod").orElseThrow();
        var value = cookie.substring(0, cookie.indexOf(';'));
        for (int i = 0; i < 10; i++) {
            assertThat(calls.pod("/hash-cookie", "cookie", value)).isEqualTo(pod);
        }
    }

    /// Case 68.
    @Test
    void givenShares_thenPlacesGetThem() throws Exception {
        var counts = calls.pods("/shares", 300);

        assertThat(counts).containsOnlyKeys("near", "far");
        assertThat(counts.get("near")).isBetween(200, 280);
    }

    /// Case 68.
    @Test
    void givenPlaces_thenTheNearestIsUsedAndOthersHelpOut() throws Exception {
        assertThat(calls.pods("/near", 20)).containsOnlyKeys("near");
        Awaitility.await("the far one to take over")
                .atMost(Duration.ofSeconds(30))
                .until(() -> calls.pod("/failover").equals("far"));
        assertThat(calls.pods("/failover", 10)).containsOnlyKeys("far");
    }

    /// Case 69.
    @Test
    void givenAStickyCookie_thenItHoldsOverTunnels() throws Exception {
        var first = calls.get("/mixed");
        var cookie = first.headers().firstValue("set-cookie").orElseThrow();
        var value = cookie.substring(0, cookie.indexOf(';'));
        var pod = first.headers().firstValue("x-pod").orElseThrow();
        for (int i = 0; i < 10; i++) {
            assertThat(calls.pod("/mixed", "cookie", value)).isEqualTo(pod);
        }
    }

    /// Case 70.
    @Test
    void givenALimit_whenItIsReached_thenTheProxyAnswersItself() throws Exception {
        var open = new CountDownLatch(1);
        slow.waitsFor(open);
        try {
            // One after the other: before there is a connection both would wait, which is one too many.
            var first = calls.later("/limited");
            Awaitility.await("one request under way")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> stat("limited", "upstream_rq_active") == 1);
            var waiting = List.of(first, calls.later("/limited"));
            Awaitility.await("one waiting")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> stat("limited", "upstream_rq_pending_active") == 1);
            var refused = calls.get("/limited");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("x-envoy-overloaded")).hasValue("true");
            assertThat(stat("limited", "upstream_rq_pending_overflow")).isPositive();
            open.countDown();
            for (var one : waiting) {
                assertThat(one.get().statusCode()).isEqualTo(200);
            }
        } finally {
            open.countDown();
        }
    }

    /// An XBackendTrafficPolicy: a fifth of the requests may be retries, and one always.
    @Test
    void givenARetryBudget_whenMoreRequestsFail_thenTheRestIsNotTriedAgain() throws Exception {
        var first = new CountDownLatch(1);
        var again = new CountDownLatch(1);
        shaky.answers(503);
        shaky.waitsFor(first);
        try {
            var requests = new ArrayList<CompletableFuture<HttpResponse<String>>>();
            for (int i = 0; i < 5; i++) {
                requests.add(calls.later("/budget"));
            }
            Awaitility.await("five requests under way")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> shaky.waiting() == 5);
            shaky.waitsFor(again);
            first.countDown();
            Awaitility.await("one retry, and no more")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> stat("budget", "upstream_rq_retry_overflow") == 4 && shaky.waiting() == 1);
            assertThat(stat("budget", "upstream_rq_retry")).isEqualTo(1);
            shaky.answers(200);
            again.countDown();
            var statuses = new ArrayList<Integer>();
            for (var request : requests) {
                statuses.add(request.get().statusCode());
            }
            assertThat(statuses).containsExactlyInAnyOrder(200, 503, 503, 503, 503);
        } finally {
            first.countDown();
            again.countDown();
        }
    }
}
