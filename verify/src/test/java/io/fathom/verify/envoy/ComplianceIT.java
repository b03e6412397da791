// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A mesh with `COMPLIANCE_POLICY=pqc` and a stock Envoy as its waypoint: whoever knows the post-quantum key exchange
/// is served, nobody else. Java's own TLS does not know it.
@Tag("slow")
@Tag("interop")
class ComplianceIT {
    private static WaypointLab lab;
    private static LabEnvoy envoy;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab(new LabAuthority(), Map.of("COMPLIANCE_POLICY", "pqc"));
        lab.service("echo", 1, "[{name: http, port: 80}]");
        lab.pod("echo-1", "{app: echo}");
        envoy = lab.startSecurely("X25519MLKEM768").ready();
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    @Test
    void givenAMemberOfTheMesh_whenItCalls_thenBothTunnelsAreMade() {
        assertThat(lab.caller("client").get(lab.vip(1) + ":80", "/")).contains("x-pod: echo-1");
        assertThat(envoy.stat("listener.0.0.0.0_15008.ssl.curves.X25519MLKEM768"))
                .isPositive();
    }

    @Test
    void givenAClientWithoutThatKeyExchange_thenNobodyServesIt() {
        var failed = envoy.stat("listener.0.0.0.0_15008.ssl.connection_error");
        assertThat(lab.outsider().certificate(15008, "echo.shop.svc.cluster.local"))
                .isEmpty();
        assertThat(envoy.stat("listener.0.0.0.0_15008.ssl.connection_error")).isGreaterThan(failed);

        var anybody = lab.authority().of(new Identity("cluster.local", "shop", "client"));
        var classical = new OutsideClient(lab.host(), anybody);
        assertThat(classical.certificate(lab.fathomd().tlsPort(), "istiod.istio-system.svc"))
                .isEmpty();
    }
}
