// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.lab.EnvoyProxy;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.peers.StockProgram;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Stock Envoy at the other end of a tunnel, once terminating HBONE and once originating it, with certificates of our
/// authority.
@Tag("slow")
@Tag("interop")
class EnvoyIT {
    @Test
    void givenEnvoyInFrontOfTheServer_whenOurClientCalls_thenItsIdentityIsSeen() {
        var envoy = StockProgram.ENVOY.require();
        try (var lab = new MeshLab()) {
            var client = lab.pod("client", "node-a");
            var server = lab.pod("server", "node-b");
            try (var _ = lab.proxy("node-a", ProxyProgram.ours(), Map.of());
                    var web = WebServer.in(lab, server)) {
                var _ = EnvoyProxy.terminating(lab, envoy, server, client, List.of(8080));
                assertThat(web.ask(client, "/")).isEqualTo("hello from server");
                assertThat(web.ask(client, "/")).isEqualTo("hello from server");
                Awaitility.await()
                        .untilAsserted(() -> assertThat(lab.log("envoy-server"))
                                .contains("authority=" + server.ip() + ":8080")
                                .contains("peer=spiffe://cluster.local/ns/lab/sa/client"));
            }
        }
    }

    @Test
    void givenEnvoyAsClient_whenItOpensTunnels_thenOurServerTakesThem() {
        var envoy = StockProgram.ENVOY.require();
        try (var lab = new MeshLab()) {
            var client = lab.pod("client", "node-a");
            var server = lab.pod("server", "node-b");
            try (var far = lab.proxy("node-b", ProxyProgram.ours(), Map.of());
                    var web = WebServer.in(lab, server)) {
                var _ = EnvoyProxy.originating(lab, envoy, client, server);
                for (int i = 0; i < 3; i++) {
                    assertThat(web.ask(client, "/")).isEqualTo("hello from server");
                }
                assertThat(far.get(15020, "/metrics"))
                        .containsPattern("source_principal=\"spiffe://cluster.local/ns/lab/sa/client\".*mutual_tls");
            }
        }
    }
}
