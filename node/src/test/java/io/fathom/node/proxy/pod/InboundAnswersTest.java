// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.model.mesh.Identity;
import io.fathom.model.policy.Authorization.Action;
import io.fathom.model.policy.Authorization.Scope;
import io.fathom.node.proxy.ProxyConfig;
import io.fathom.wire.hbone.ConnectHeaders;
import io.fathom.wire.hbone.HboneFailure;
import io.fathom.wire.hbone.HbonePool;
import io.fathom.wire.hbone.Tunnel;
import io.fathom.wire.hbone.TunnelKey;
import io.fathom.wire.hbone.TunnelOpening;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What a peer that speaks HBONE itself is answered.
class InboundAnswersTest {
    private static final String SERVER = TestNode.address(2);
    private static final Identity CLIENT = new Identity("cluster.local", "ns1", "client");
    private static final Identity OWN = new Identity("cluster.local", "ns1", "server");

    private TestNode node = new TestNode(ProxyConfig.DEFAULT.times(Duration.ofSeconds(2), Duration.ofMillis(300)));

    @AfterEach
    void close() {
        node.close();
    }

    private HbonePool begin() {
        node.mesh.put(Drafts.pod("server", SERVER).build());
        node.start("server", SERVER);
        return node.pool();
    }

    private static ConnectHeaders to(String authority) {
        return ConnectHeaders.to(authority);
    }

    /// The failure, or `200` and the baggage of the answer.
    private static String ask(HbonePool pool, ConnectHeaders headers) throws Exception {
        var answer = new CompletableFuture<String>();
        var key = new TunnelKey(CLIENT, Set.of(OWN), Drafts.ipPort(SERVER + ":15008"), Drafts.ip("127.0.0.1"));
        pool.open(key, headers, new TunnelOpening() {
            @Override
            public void opened(Opened opened) {
                opened.tunnel().reset(Tunnel.Reset.CANCELLED);
                answer.complete("200 " + opened.baggage().orElse(""));
            }

            @Override
            public void failed(HboneFailure failure) {
                answer.complete(
                        failure instanceof HboneFailure.Refused refused
                                ? refused.status() + " " + refused.text()
                                : failure.toString());
            }
        });
        return answer.get(10, TimeUnit.SECONDS);
    }

    /// Case 46.
    @Test
    void givenWrongRequests_whenTheyAreAnswered_thenStatusAndTextSayWhyAndNothingCountsAsTraffic() throws Exception {
        var pool = begin();
        assertThat(ask(pool, to("10.1.1.1:80"))).isEqualTo("400 ip mismatch: " + SERVER + " != 10.1.1.1");
        assertThat(ask(pool, to("nonsense"))).startsWith("400 invalid authority");
        assertThat(ask(pool, to("unknown.example:80"))).startsWith("503 no service for host unknown.example");
        assertThat(ask(pool, to(SERVER + ":15006"))).startsWith("503 port 15006");
        await().until(() -> node.lines().size() == 4);
        assertThat(node.lines()).allMatch(line -> line.contains("\twarn\taccess\tconnection failed\t"));
        assertThat(node.counted("istio_tcp_connections_opened_total", "")).isZero();
    }

    /// Case 46.
    @Test
    void givenADenyPolicy_whenAPeerAsks_thenTheAnswerIs401WithTheReason() throws Exception {
        var pool = begin();
        node.mesh.put(Drafts.policy("no", Scope.NAMESPACE, Action.DENY, "client"));
        assertThat(ask(pool, to(SERVER + ":80"))).isEqualTo("401 explicitly denied by: ns1/no");
        node.mesh.removePolicy("ns1/no");
        node.mesh.put(Drafts.allowNothing("nothing"));
        assertThat(ask(pool, to(SERVER + ":80"))).isEqualTo("401 allow policies exist, but none allowed: ns1/nothing");
    }

    @Test
    void givenCallsMustComeThroughAWaypoint_whenAnotherPeerAsks_thenTheAnswerNamesTheWaypoint() throws Exception {
        var pool = begin();
        var app = node.closing(TestApp.echo(SERVER));
        node.mesh.put(Drafts.requiring("waypoint"));
        assertThat(ask(pool, to(app.at(SERVER).toString())))
                .isEqualTo(
                        "401 explicitly denied by: ns1/fathom_require_waypoint_ns1_waypoint: calls must come through "
                                + "waypoint ns1/waypoint");
        node.mesh.removePolicy(Drafts.requiring("waypoint").key());
        node.mesh.put(Drafts.requiring("client"));
        assertThat(ask(pool, to(app.at(SERVER).toString()))).startsWith("200");
    }

    /// Case 46: the hostname's port is named, so the endpoint says which it is.
    @Test
    void givenAHostnameWithANamedPort_whenAPeerAsks_thenTheApplicationIsReached() throws Exception {
        var pool = begin();
        var app = node.closing(TestApp.echo(SERVER));
        node.mesh.put(
                Drafts.service("web", "10.9.9.9", 80, 0),
                Drafts.pod("server", SERVER).behind("web", 80, app.port()).build());
        assertThat(ask(pool, to("web.example:80"))).startsWith("200");
        assertThat(ask(pool, to("web.example:81"))).startsWith("503 no port 81");
        await().until(() -> app.clients.size() == 1);
    }

    @Test
    void givenNoApplication_whenAPeerAsks_thenTheAnswerIs503() throws Exception {
        assertThat(ask(begin(), to(SERVER + ":1"))).startsWith("503 connection to " + SERVER + ":1 failed");
        await().until(() -> node.counted("istio_tcp_connections_failed_total", "destination\".*CONNECT") == 1);
    }

    /// Case 47.
    @Test
    void givenBaggage_whenAPeerAsks_thenItIsReadAndAnsweredInKind() throws Exception {
        var pool = begin();
        var app = node.closing(TestApp.echo(SERVER));
        var headers = new ConnectHeaders(
                app.at(SERVER).toString(),
                Optional.of("k8s.namespace.name=far,k8s.deployment.name=caller,cloud.region=r9"),
                Optional.of("for=\"1.2.3.4:5\";host=web.example"),
                Optional.empty(),
                Optional.of("other-network"));
        assertThat(ask(pool, headers))
                .isEqualTo("200 k8s.cluster.name=c1,k8s.namespace.name=ns1,k8s.deployment.name=server-deployment,"
                        + "service.name=server-app,service.version=v1");
        await().until(() ->
                node.counted("istio_tcp_connections_opened_total", "source_workload=\"caller\".*source_region=\"r9\"")
                        == 1);
    }

    /// Case 47.
    @Test
    void givenBaggageIsOff_whenAPeerAsks_thenItIsNeitherReadNorSent() throws Exception {
        node.close();
        node = new TestNode(ProxyConfig.DEFAULT.baggage(ProxyConfig.BaggageUse.IGNORED));
        var pool = begin();
        var app = node.closing(TestApp.echo(SERVER));
        var headers = new ConnectHeaders(
                app.at(SERVER).toString(),
                Optional.of("k8s.namespace.name=far,k8s.deployment.name=caller"),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        assertThat(ask(pool, headers)).isEqualTo("200 ");
        assertThat(node.counted("istio_tcp_connections_opened_total", "source_workload=\"unknown\""))
                .isEqualTo(1);
    }

    @Test
    void givenAPeerOfAnotherTrustDomain_whenItConnects_thenTheHandshakeFailsAndOneLineSaysSo() throws Exception {
        begin();
        var pool = node.pool();
        var answer = new CompletableFuture<HboneFailure>();
        var foreign = new Identity("elsewhere", "ns1", "client");
        var key = new TunnelKey(foreign, Set.of(OWN), Drafts.ipPort(SERVER + ":15008"), Drafts.ip("127.0.0.1"));
        pool.open(key, to(SERVER + ":80"), new TunnelOpening() {
            @Override
            public void opened(Opened opened) {
                answer.completeExceptionally(new AssertionError("opened"));
            }

            @Override
            public void failed(HboneFailure failure) {
                answer.complete(failure);
            }
        });
        assertThat(answer.get(10, TimeUnit.SECONDS)).isNotInstanceOf(HboneFailure.Refused.class);
        await().until(() -> node.lines().stream().anyMatch(line -> line.contains("connection failed")));
    }
}
