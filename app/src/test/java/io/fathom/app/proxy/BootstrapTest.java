// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.tls.TlsPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a stock Envoy says to our bootstrap.
@Tag("slow")
@Timeout(120)
class BootstrapTest {
    private static final String INTERNAL_LISTENER = """
            static_resources: {listeners: [{name: inner, internal_listener: {}, filter_chains: [{filters: [{name: echo,
              typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.echo.v3.Echo}}]}]}]}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void givenOurBootstrap_thenInternalListenersAreTaken_andRefusedWithoutTheExtension_case1() throws Exception {
        var config = ProxyConfig.parse(
                new String[] {"waypoint"},
                Map.of("POD_NAME", "a", "PROXY_CONFIG", "{\"configPath\":\"%s\"}".formatted(folder)));
        var bootstrap = EnvoyBootstrap.of(config);
        assertThat(validate(bootstrap)).contains("OK");
        var without = bootstrap.replaceFirst("(?s)bootstrap_extensions:.*?layered_runtime:", "layered_runtime:");
        assertThat(without).isNotEqualTo(bootstrap);
        assertThat(validate(without)).contains("InternalListener bootstrap extension is mandatory");
    }

    @Test
    void givenACompliancePolicy_thenTheControlPlaneIsReachedByIt() throws Exception {
        var config = ProxyConfig.parse(new String[] {"waypoint"}, Map.of("COMPLIANCE_POLICY", "pqc"));
        assertThat(config.control().tls().exchange()).isEqualTo(TlsPolicy.KeyExchange.POST_QUANTUM);
        var bootstrap = EnvoyBootstrap.of(config);
        assertThat(bootstrap).contains("\"X25519MLKEM768\"");
        assertThat(validate(bootstrap)).contains("OK");
    }

    private String validate(String bootstrap) throws IOException, InterruptedException {
        var file = Files.writeString(folder.resolve("bootstrap.yaml"), bootstrap);
        var log = folder.resolve("log");
        var process = new ProcessBuilder(
                        ProxyStage.envoy().toString(),
                        "--mode",
                        "validate",
                        "-c",
                        file.toString(),
                        "--config-yaml",
                        INTERNAL_LISTENER)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(log);
    }
}
