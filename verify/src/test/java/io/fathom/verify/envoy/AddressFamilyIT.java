// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.hbone.HboneFailure;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Which addresses of services a waypoint serves: those of the families that it has itself.
@Tag("slow")
@Tag("interop")
class AddressFamilyIT {
    private static final String SIX = "fd00:22::5";

    private static WaypointLab lab;
    private static LabEnvoy envoy;
    private static Caller caller;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab();
        lab.write("service-dual", """
                apiVersion: v1
                kind: Service
                metadata: {name: dual, namespace: shop}
                spec:
                  clusterIP: %1$s
                  clusterIPs: [%1$s, "%2$s"]
                  ipFamilies: [IPv4, IPv6]
                  selector: {app: dual}
                  ports: [{name: http, port: 80}]
                """.formatted(lab.vip(1), SIX));
        lab.pod("dual-1", "{app: dual}");
        envoy = lab.start().ready();
        caller = lab.caller("client");
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    /// Case 22.
    @Test
    void givenADualStackService_whenCalled_thenAddressesOfTheProxysOwnFamiliesAreServed() {
        assertThat(WaypointIT.pod(caller.get(lab.vip(1) + ":80", "/"))).isEqualTo("dual-1");
        assertThat(caller.refusal("[" + SIX + "]:80")).isInstanceOf(HboneFailure.Refused.class);
        assertThat(listeners()).contains(lab.vip(1)).doesNotContain(SIX);

        lab.write("pod-waypoint-1", """
                apiVersion: v1
                kind: Pod
                metadata: {name: waypoint-1, namespace: shop, labels: %2$s}
                spec: {nodeName: node, serviceAccountName: waypoint, containers: [{name: main, image: none}]}
                status:
                  phase: Running
                  podIP: %1$s
                  podIPs: [{ip: %1$s}, {ip: "fd00:22::2"}]
                  conditions: [{type: Ready, status: "True"}]
                """.formatted(lab.proxy(), Lab.waypointLabels("waypoint")));
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> listeners().contains(SIX));
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .ignoreExceptions() // tunnels to the old listener end
                .until(() -> WaypointIT.pod(caller.get("[" + SIX + "]:80", "/")).equals("dual-1"));
        assertThat(WaypointIT.pod(caller.get(lab.vip(1) + ":80", "/"))).isEqualTo("dual-1");
    }

    private static String listeners() {
        return envoy.admin("/config_dump?resource=dynamic_listeners");
    }
}
