// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.hbone.ConnectHeaders;
import io.fathom.wire.hbone.HboneFailure;
import java.time.Duration;
import java.util.ArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A waypoint for workloads themselves, told and asked over mutual TLS.
@Tag("slow")
@Tag("interop")
class WorkloadWaypointIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static WaypointLab lab;
    private static LabEnvoy envoy;
    private static Caller caller;
    private static EchoPod one;
    private static EchoPod two;
    private static Caller.Conversation silent;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab();
        lab.gateway("labels: {istio.io/waypoint-for: all}");
        one = lab.pod("echo-1", "{app: echo, istio.io/use-waypoint: waypoint}");
        two = lab.pod("echo-2", "{app: echo, istio.io/use-waypoint: none}");
        envoy = lab.startSecurely().ready();
        caller = lab.caller("client");
        silent = caller.open(one.ip() + ":9002");
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    /// Case 13.
    @Test
    void givenAddressOfPod_whenCalled_thenThatPodAnswers() {
        for (int i = 0; i < 5; i++) {
            assertThat(WaypointIT.pod(caller.get(one.ip() + ":8080", "/"))).isEqualTo("echo-1");
        }
        caller.open(one.ip() + ":9000")
                .say("\u0001bytes")
                .expect("echo-1:\u0001bytes")
                .finish();
        assertThat(one.tunnels())
                .extracting(tunnel -> tunnel.headers().authority())
                .contains(one.ip() + ":9000");
    }

    /// Case 14: a pod that does not go through this waypoint is not its own.
    @Test
    void givenPodOfOthers_whenCalled_thenItIsNotReached() {
        assertThat(caller.open(two.ip() + ":8080")
                        .say("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
                        .all())
                .isEmpty();
        assertThat(two.tunnels()).isEmpty();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> envoy.log().contains("not served here: authority=" + two.ip() + ":8080"));
    }

    /// Case 17: who says nothing is cut off after 15 s, because nobody knows what will be spoken; with a limit of one's
    /// own the connection is passed on then, so that the other side may speak first.
    @Test
    void givenSilentClient_whenTheProtocolHasToBeFoundOut_thenItIsCutOffOrPassedOn() {
        assertThat(silent.all()).isEmpty();
        assertThat(isCalled(9002)).isFalse();

        lab.write("mesh", """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: istio, namespace: istio-system}
                data: {mesh: "protocolDetectionTimeout: 1s"}
                """);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> envoy.admin("/config_dump?resource=dynamic_listeners")
                        .contains("\"continue_on_listener_filters_timeout\": true"));
        var talks = new ArrayList<Caller.Conversation>(); // the first may still meet the listener as it was
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(2)).until(() -> {
            talks.add(caller.open(one.ip() + ":9001"));
            return isCalled(9001);
        });
        talks.getLast().say("late").expect("echo-1:late").finish();
    }

    private static boolean isCalled(int port) {
        return one.tunnels().stream()
                .anyMatch(tunnel -> tunnel.headers().authority().equals(one.ip() + ":" + port));
    }

    @Test
    void givenSomebodyElsesPod_whenATunnelSaysItsClientCameInPlainText_thenItIsRefused() {
        var headers = ConnectHeaders.plainText(one.ip() + ":8080", "for=\"192.0.2.1:4000\"", "00-1-2-00");
        assertThat(caller.refusal(headers))
                .isInstanceOfSatisfying(
                        HboneFailure.Refused.class,
                        refused -> assertThat(refused.status()).isEqualTo(403));
        assertThat(WaypointIT.pod(caller.get(one.ip() + ":8080", "/"))).isEqualTo("echo-1");
    }

    /// Case 20.
    @Test
    void givenWaypointForWorkloads_whenConfigured_thenItLooksAtEveryConnection() {
        assertThat(envoy.admin("/config_dump?resource=dynamic_listeners"))
                .contains("http_inspector")
                .doesNotContain("filter_disabled");
    }

    /// Case 86: without any service, and before there are pods, the configuration is valid.
    @Test
    void givenNoServices_whenConfigured_thenNothingIsRefused() {
        assertThat(envoy.stat("listener_manager.lds.update_rejected")).isZero();
        assertThat(envoy.stat("cluster_manager.cds.update_rejected")).isZero();
        assertThat(envoy.stat("listener_manager.lds.update_success")).isPositive();
    }

    /// Case 97, in the words of `istioctl proxy-status`.
    @Test
    void givenAcknowledgedConfiguration_whenAsked_thenTheProxyIsInStep() {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(lab.fathomd().text("/debug/syncz"))
                        .contains("waypoint-1.shop")
                        .contains("Listener")
                        .contains("SYNCED")
                        .doesNotContain("STALE"));
    }
}
