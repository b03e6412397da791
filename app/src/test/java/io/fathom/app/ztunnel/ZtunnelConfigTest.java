// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.model.mesh.IpPort;
import io.fathom.node.proxy.ProxyConfig;
import io.fathom.node.socket.SocketConfig;
import io.fathom.wire.hbone.HboneLimits;
import io.fathom.wire.tls.TlsPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.event.Level;

class ZtunnelConfigTest {
    @TempDir
    Path folder;

    @Test
    void givenNothing_thenUpstreamsDefaults() {
        var config = parse(Map.of());
        assertThat(config.mesh().xds().orElseThrow().host()).isEqualTo("localhost");
        assertThat(config.mesh().xds().orElseThrow().port()).isEqualTo(15012);
        assertThat(config.place().clusterId()).isEqualTo("Kubernetes");
        assertThat(config.certificates().lifetime()).isEqualTo(Duration.ofHours(24));
        assertThat(config.tunnels()).isEqualTo(HboneLimits.DEFAULT);
        assertThat(config.proxy()).isEqualTo(ProxyConfig.DEFAULT);
        assertThat(config.process().termination()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.capture().sockets()).isEqualTo(SocketConfig.IN_POD);
        assertThat(config.dns().enabled()).isTrue();
        assertThat(config.process().ports()).isEqualTo(new ZtunnelConfig.ProcessPorts(15000, 15020, 15021));
        assertThat(config.dedicated()).isEmpty();
    }

    @Test
    void givenKubernetes_thenItsControlPlane() {
        var xds = parse(Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1"))
                .mesh()
                .xds()
                .orElseThrow();
        assertThat(xds.host()).isEqualTo("istiod.istio-system.svc");
        assertThat(parse(Map.of("XDS_ADDRESS", "")).mesh().xds())
                .as("given but empty")
                .isEmpty();
        assertThat(parse(Map.of("XDS_ADDRESS", "fathomd:1"))
                        .mesh()
                        .xds()
                        .orElseThrow()
                        .port())
                .isEqualTo(1);
    }

    @Test
    void givenHeaders_thenEachServerHasItsOwn() {
        var config = parse(Map.of("XDS_HEADER_Foo", "1", "CA_HEADER_bar", "2"));
        assertThat(config.mesh().xds().orElseThrow().headers()).isEqualTo(Map.of("foo", "1"));
        assertThat(config.certificates().authority().orElseThrow().headers()).isEqualTo(Map.of("bar", "2"));
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
        assertThat(config.mesh().xds().orElseThrow().host()).isEqualTo("variable");
        assertThat(config.process().threads()).isEqualTo(3);
        assertThat(config.process().ports().admin()).isEqualTo(16000);
        assertThat(config.place().clusterId()).isEqualTo("west");
        assertThat(config.mesh().metadata())
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
        assertThat(parse(environment).process().termination()).isEqualTo(Duration.ofSeconds(seconds));
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
                argumentSet("no compliance policy", "COMPLIANCE_POLICY", "best", "give pqc or fips-140-2"),
                argumentSet("nowhere to answer DNS", "ISTIO_META_DNS_PROXY_ADDR", "pod:15053", "localhost:15053"),
                argumentSet("any port for DNS", "ISTIO_META_DNS_PROXY_ADDR", "localhost:0", "localhost:15053"),
                argumentSet("no time", "SECRET_TTL", "soon", "24h"),
                argumentSet("broken YAML", "PROXY_CONFIG", "a: [", "PROXY_CONFIG"),
                argumentSet("a port that is none", "PROXY_CONFIG", "statsPort: many", "statsPort"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenAMistake_thenTheComplaintNamesItOrTheFix(String variable, String value, String hint) {
        assertThatThrownBy(() -> parse(Map.of(variable, value))).hasMessageContaining(hint);
    }

    @Test
    void givenNeitherTrafficNorDns_thenThereIsNothingToDo() {
        assertThat(parse(Map.of("ENABLE_PROXY", "false")).capture().traffic())
                .isEqualTo(ZtunnelConfig.PodTraffic.LEFT_ALONE);
        assertThatThrownBy(() -> parse(Map.of("ENABLE_PROXY", "false", "ISTIO_META_DNS_CAPTURE", "false")))
                .hasMessageContaining("nothing to do without DNS");
    }

    @Test
    void givenTlsSettings_thenTheirPolicy() {
        assertThat(parse(Map.of()).tls().policy()).isEqualTo(TlsPolicy.DEFAULT);
        var pqc = parse(Map.of("COMPLIANCE_POLICY", "pqc"));
        assertThat(pqc.tls().policy().exchange()).isEqualTo(TlsPolicy.KeyExchange.POST_QUANTUM);
        assertThat(pqc.mesh().xds().orElseThrow().tls())
                .as("also to the control plane")
                .isEqualTo(pqc.tls().policy());
        assertThat(parse(Map.of("COMPLIANCE_POLICY", "fips-140-2", "TLS12_ENABLED", "true"))
                        .tls()
                        .policy())
                .isEqualTo(new TlsPolicy(TlsPolicy.Versions.TLS12_TOO, TlsPolicy.KeyExchange.FIPS_140_2));
        assertThatThrownBy(() -> parse(Map.of("COMPLIANCE_POLICY", "pqc", "TLS12_ENABLED", "true")))
                .hasMessageContaining("TLS 1.2");
        assertThat(parse(Map.of("FATHOM_TRUST_DOMAIN_ALIASES", "old.local, older.local"))
                        .tls()
                        .aliases())
                .containsExactlyInAnyOrder("old.local", "older.local");
    }

    @Test
    void givenWhereToAnswerDns_thenThereAndOnLoopbackInBothFamilies() {
        assertThat(dnsAddresses(Map.of())).containsExactly("[::1]:15053", "127.0.0.1:15053");
        assertThat(dnsAddresses(Map.of("ISTIO_META_DNS_PROXY_ADDR", "localhost:53", "IPV6_ENABLED", "false")))
                .containsExactly("127.0.0.1:53");
        assertThat(dnsAddresses(Map.of("ISTIO_META_DNS_PROXY_ADDR", "0.0.0.0:5353")))
                .containsExactly("0.0.0.0:5353");
    }

    @Test
    void givenPolicyDecisionsAtInfo_thenTheirLevel() {
        assertThat(parse(Map.of()).proxy().decisions()).isEqualTo(Level.DEBUG);
        assertThat(parse(Map.of("AUTHZ_POLICY_INFO_LOGGING", "true")).proxy().decisions())
                .isEqualTo(Level.INFO);
    }

    private List<String> dnsAddresses(Map<String, String> environment) {
        return parse(environment).dns().addresses().stream()
                .map(IpPort::toString)
                .toList();
    }

    private ZtunnelConfig parse(Map<String, String> environment) {
        var all = new HashMap<>(environment);
        all.put("MESH_CONFIG_FILE", folder.resolve("mesh").toString());
        return ZtunnelConfig.parse(all, 8);
    }
}
