// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Two pods on two nodes, node proxies of ours and stock ones in all combinations, configured and given certificates by
/// our control plane.
@Tag("slow")
@Tag("interop")
class TrafficIT {
    private static final Optional<ProxyProgram> OURS = Optional.of(ProxyProgram.ours());

    static Stream<Arguments> pairs() {
        return Stream.of(
                argumentSet("ours to ours", OURS, OURS),
                argumentSet("ours to stock", OURS, ProxyProgram.stock()),
                argumentSet("stock to ours", ProxyProgram.stock(), OURS),
                argumentSet("stock to stock", ProxyProgram.stock(), ProxyProgram.stock()));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void whenAClientCalls_thenTrafficIsEncryptedArrivesAndIsReported(
            Optional<ProxyProgram> near, Optional<ProxyProgram> far) {
        assumeTrue(
                near.isPresent() && far.isPresent(),
                "skipped: ZTUNNEL_BIN does not name a stock ztunnel (it is in no registry)");
        try (var lab = new MeshLab()) {
            var client = lab.pod("client", "node-a");
            var server = lab.pod("server", "node-b");
            try (var source = lab.proxy("node-a", near.get(), Map.of());
                    var destination = lab.proxy("node-b", far.get(), Map.of());
                    var web = WebServer.in(lab, server)) {
                assertThat(web.ask(client, "/hello")).isEqualTo("hello from server");
                assertThat(web.ask(client, "/who"))
                        .as("the application sees its client")
                        .isEqualTo(client.ip());
                assertThat(source.get(15020, "/metrics"))
                        .containsPattern("istio_tcp_connections_opened_total\\{reporter=\"source\".*mutual_tls");
                assertThat(destination.get(15020, "/metrics"))
                        .containsPattern("istio_tcp_connections_opened_total\\{reporter=\"destination\".*mutual_tls");
                assertThat(source.get(15000, "/config_dump")).contains("spiffe://cluster.local/ns/lab/sa/client");
            }
        }
    }
}
