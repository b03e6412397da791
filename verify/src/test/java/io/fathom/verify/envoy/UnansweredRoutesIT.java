// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.xds.store.XdsType;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Case 8: what becomes of an Envoy whose question for routes is not answered, and that ours always is.
@Tag("slow")
@Tag("interop")
class UnansweredRoutesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static IngressLab lab;
    private static XdsTap tap;
    private static LabEnvoy envoy;

    @BeforeAll
    static void start() throws Exception {
        lab = new IngressLab();
        lab.write("gateway", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: gw, namespace: edge}
                spec: {gatewayClassName: istio, listeners: [{name: http, port: 80, protocol: HTTP}]}
                """);
        tap = lab.keep(new XdsTap(lab.host(), lab.fathomd().plaintextPort()));
        tap.hold(response -> response.getTypeUrl().equals(XdsType.ROUTES.url()));
        envoy = lab.start(tap.port());
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    @Test
    void givenRoutesAreKeptBack_whenAnEnvoyStarts_thenItWaitsUntilTheyCome() {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> tap.requests().stream()
                        .anyMatch(request -> request.getTypeUrl().equals(XdsType.ROUTES.url())
                                && request.getResourceNamesSubscribeList().contains("http.80")));
        Awaitility.await().atMost(PATIENCE).until(() -> envoy.stat("server.state") == 3);
        assertThat(envoy.admin("/ready")).contains("INITIALIZING");
        assertThat(lab.client().get(80, "shop.example")).isEmpty();

        tap.release(); // there are no routes: that is an answer, too
        envoy.ready();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> lab.client().get(80, "shop.example").startsWith("HTTP/1.1 404"));
    }
}
