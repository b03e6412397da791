// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A companion and its Envoy with a control plane that does not take every key exchange.
@Tag("slow")
@Timeout(180)
class ProxyComplianceTest {
    @ParameterizedTest
    @ValueSource(strings = {"pqc", "fips-140-2"})
    void givenAPolicy_thenBothReachTheControlPlane(String policy, @TempDir Path folder) throws IOException {
        try (var stage = ProxyStage.start(folder, Duration.ofHours(24), policy)) {
            stage.giveToken();

            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .ignoreExceptions() // it is closed at first
                    .untilAsserted(() ->
                            assertThat(stage.status("/healthz/ready").status()).isEqualTo(200));
            assertThat(stage.connectedProxies()).contains("waypoint-1.shop");
        }
    }
}
