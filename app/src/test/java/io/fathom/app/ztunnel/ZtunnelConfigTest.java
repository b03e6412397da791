package io.fathom.app.ztunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.node.proxy.ProxyConfig;
import io.fathom.node.socket.SocketConfig;
import io.fathom.wire.hbone.HboneLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ZtunnelConfigTest {
    @TempDir
    Path folder;

    @Test
    void givenNothing_thenUpstreamsDefaults() {
        var config = parse(Map.of());
        assertThat(config.xds().orElseThrow().host()).isEqualTo("localhost");
        assertThat(config.xds().orElseThrow().port()).isEqualTo(15012);
        assertThat(config.clusterId()).isEqualTo("Kubernetes");
        assertThat(config.certificateLifetime()).isEqualTo(Duration.ofHours(24));
        assertThat(config.tunnels()).isEqualTo(HboneLimits.DEFAULT);
        assertThat(config.proxy()).isEqualTo(ProxyConfig.DEFAULT);
        assertThat(config.termination()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.sockets()).isEqualTo(SocketConfig.IN_POD);
        assertThat(config.dns().enabled()).isTrue();
        assertThat(config.ports()).isEqualTo(new ZtunnelConfig.Ports(15000, 15020, 15021));
        assertThat(config.dedicated()).isEmpty();
    }

    @Test
    void givenKubernetes_thenItsControlPlane() {
        var xds = parse(Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1")).xds().orElseThrow();
        assertThat(xds.host()).isEqualTo("istiod.istio-system.svc");
        assertThat(parse(Map.of("XDS_ADDRESS", "")).xds()).as("given but empty").isEmpty();
        assertThat(parse(Map.of("XDS_ADDRESS", "fathomd:1")).xds().orElseThrow().port())
                .isEqualTo(1);
    }

    @Test
    void givenHeaders_thenEachServerHasItsOwn() {
        var config = parse(Map.of("XDS_HEADER_Foo", "1", "CA_HEADER_bar", "2"));
        assertThat(config.xds().orElseThrow().headers()).isEqualTo(Map.of("foo", "1"));
        assertThat(config.ca().orElseThrow().headers()).isEqualTo(Map.of("bar", "2"));
    }

    @Test
    void givenAMeshFileAndVariables_thenVariablesWinAndMetadataIsOfBoth() throws IOException {
        Files.writeString(folder.resolve("mesh"), """
                defaultConfig:
                  discoveryAddress: file:15012
                  concurrency: 3
                  proxyAdminPort: 16000
                  proxyMetadata:
                    ISTIO_META_FROM_FILE: a
                    BOTH: file
                """);
        var config = parse(Map.of(
                "PROXY_CONFIG",
                "discoveryAddress: variable:15012\nproxyMetadata: {BOTH: variable}",
                "ISTIO_META_OWN",
                "c",
                "ISTIO_META_CLUSTER_ID",
                "west"));
        assertThat(config.xds().orElseThrow().host()).isEqualTo("variable");
        assertThat(config.threads()).isEqualTo(3);
        assertThat(config.ports().admin()).isEqualTo(16000);
        assertThat(config.clusterId()).isEqualTo("west");
        assertThat(config.metadata())
                .isEqualTo(Map.of("FROM_FILE", "a", "BOTH", "variable", "OWN", "c", "CLUSTER_ID", "west"));
    }

    static Stream<Arguments> threads() {
        return Stream.of(
                argumentSet("half of eight", 8, "50%", "", "", 4),
                argumentSet("a share is rounded up", 16, "30%", "", "", 5),
                argumentSet("never none", 4, "10%", "", "", 1),
                argumentSet("a number", 4, "7", "", "", 7),
                argumentSet("all cores", 6, "0", "", "", 6),
                argumentSet("a limit is rounded up", 16, "", "2500m", "", 3),
                argumentSet("a fraction too", 16, "", "1.5", "", 2),
                argumentSet("a request above the limit", 16, "", "4", "8", 8),
                argumentSet("a quarter of the cores", 32, "", "", "", 8),
                argumentSet("at least two", 2, "", "", "", 2),
                argumentSet("a request above that", 4, "", "", "3", 3));
    }

    @ParameterizedTest
    @MethodSource("threads")
    void givenCoresAndLimits_thenThreads(int cores, String asked, String limit, String request, int want) {
        assertThat(new WorkerThreads(cores, asked, limit, request, OptionalInt.empty()).count())
                .contains(want);
    }

    static Stream<Arguments> deadlines() {
        return Stream.of(
                argumentSet("the chart's", Map.of("TERMINATION_GRACE_PERIOD_SECONDS", "30"), 25),
                argumentSet("a short one", Map.of("TERMINATION_GRACE_PERIOD_SECONDS", "10"), 9),
                argumentSet("none", Map.of("TERMINATION_GRACE_PERIOD_SECONDS", "0"), 1),
                argumentSet("its own", Map.of("CONNECTION_TERMINATION_DEADLINE", "7s"), 7));
    }

    @ParameterizedTest
    @MethodSource("deadlines")
    void givenAGracePeriod_thenTheDeadlineIsShorter(Map<String, String> environment, int seconds) {
        assertThat(parse(environment).termination()).isEqualTo(Duration.ofSeconds(seconds));
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                argumentSet("no mode", "PROXY_MODE", "both", "shared or dedicated"),
                argumentSet("nobody to be dedicated to", "PROXY_MODE", "dedicated", "namespace/name/serviceaccount"),
                argumentSet("plaintext", "XDS_ADDRESS", "http://istiod:15010", "http://istiod:15010"),
                argumentSet("on demand with DNS", "XDS_ON_DEMAND", "true", "DNS"),
                argumentSet("a tiny window", "HTTP2_STREAM_WINDOW_SIZE", "1", "65535"),
                argumentSet("a huge frame", "HTTP2_FRAME_SIZE", "99999999", "16777215"),
                argumentSet("no CPU", "ZTUNNEL_CPU_LIMIT", "much", "500m"),
                argumentSet("no level", "RUST_LOG", "loud", "debug"),
                argumentSet("a key exchange that we cannot promise", "COMPLIANCE_POLICY", "pqc", "not possible yet"),
                argumentSet("an older TLS", "TLS12_ENABLED", "true", "give false"),
                argumentSet("DNS only", "ENABLE_PROXY", "false", "ENABLE_PROXY"),
                argumentSet("no time", "SECRET_TTL", "soon", "24h"),
                argumentSet("broken YAML", "PROXY_CONFIG", "a: [", "PROXY_CONFIG"),
                argumentSet("a port that is none", "PROXY_CONFIG", "statsPort: many", "statsPort"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenAMistake_thenTheComplaintNamesItOrTheFix(String variable, String value, String hint) {
        assertThatThrownBy(() -> parse(Map.of(variable, value))).hasMessageContaining(hint);
    }

    private ZtunnelConfig parse(Map<String, String> environment) {
        var all = new HashMap<>(environment);
        all.put("MESH_CONFIG_FILE", folder.resolve("mesh").toString());
        return ZtunnelConfig.parse(all, 8);
    }
}
