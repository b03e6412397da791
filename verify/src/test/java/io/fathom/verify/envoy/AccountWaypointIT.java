// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A waypoint for one service account of its namespace, `pay`, which nobody is labelled for. Pods of account `web` are
/// none of its business.
@Tag("slow")
@Tag("interop")
class AccountWaypointIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String ANNOTATION = "annotations: {istio.io/for-service-account: %s}";

    private WaypointLab lab;
    private LabEnvoy envoy;
    private Caller client;
    private Caller friend;
    private EchoPod pay;
    private EchoPod web;

    @BeforeEach
    void start() throws Exception {
        lab = new WaypointLab();
        lab.write("base", """
                apiVersion: v1
                kind: Namespace
                metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}
                """);
        lab.gateway(ANNOTATION.formatted("pay"));
        lab.service("pay", 1, "[{name: http, port: 80, targetPort: 8080}]");
        lab.service("web", 2, "[{name: http, port: 80, targetPort: 8080}]");
        pay = lab.echo(WaypointLab.NAMESPACE, "pay-1", "pay", "{app: pay}");
        web = lab.echo(WaypointLab.NAMESPACE, "web-1", "web", "{app: web}");
        lab.write("policy", """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: pay, namespace: shop}
                spec:
                  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: waypoint}]
                  rules:
                  - from: [{source: {principals: [cluster.local/ns/shop/sa/friend]}}]
                    to: [{operation: {methods: [GET], paths: [/open*]}}]
                """);
        envoy = lab.start().ready();
        client = lab.caller("client");
        friend = lab.caller("friend");
    }

    @AfterEach
    void stop() {
        lab.close();
    }

    @Test
    void givenServiceAndPodOfTheAccount_whenCalled_thenThePolicyOfTheWaypointHolds() {
        for (var target : new String[] {lab.vip(1) + ":80", pay.ip() + ":8080"}) {
            assertThat(WaypointIT.pod(friend.get(target, "/open/door"))).isEqualTo("pay-1");
            assertThat(friend.get(target, "/closed")).startsWith("HTTP/1.1 403");
            assertThat(client.get(target, "/open/door")).startsWith("HTTP/1.1 403");
        }
        assertThat(pay.tunnels())
                .isNotEmpty()
                .allSatisfy(tunnel ->
                        assertThat(tunnel.tls().toString()).contains("spiffe://cluster.local/ns/shop/sa/waypoint"));
    }

    @Test
    void givenServiceAndPodOfAnotherAccount_whenTheWaypointIsAskedForThem_thenItRefuses() {
        assertThat(WaypointIT.pod(friend.get(lab.vip(1) + ":80", "/open/door"))).isEqualTo("pay-1");

        assertThat(friend.get(lab.vip(2) + ":80", "/open/door")).isEmpty();
        assertThat(friend.get(web.ip() + ":8080", "/open/door")).isEmpty();

        assertThat(web.tunnels()).isEmpty();
        eventually(() -> envoy.log().contains("not served here: authority=" + lab.vip(2) + ":80"));
    }

    @Test
    void whenTheAnnotationMovesAndGoes_thenTheWaypointServesTheOthersAndThenNobody() {
        assertThat(WaypointIT.pod(friend.get(lab.vip(1) + ":80", "/open/door"))).isEqualTo("pay-1");

        lab.gateway(ANNOTATION.formatted("web"));
        eventually(() -> reaches(lab.vip(2)) && !reaches(lab.vip(1)));

        lab.gateway("");
        eventually(() -> !reaches(lab.vip(2)));
        eventually(() -> envoy.log().contains("not served here: authority=" + lab.vip(2) + ":80"));
    }

    /// What a waypoint does not serve is refused, or cut off where it looks at connections first.
    private boolean reaches(String vip) {
        try {
            return friend.get(vip + ":80", "/open/door").startsWith("HTTP/1.1 200");
        } catch (CompletionException refused) {
            return false;
        }
    }

    private static void eventually(Callable<Boolean> condition) {
        Awaitility.await().atMost(PATIENCE).until(condition);
    }
}
