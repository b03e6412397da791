// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.control.ca.PluggedAuthority.RootChange;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class IdentityConfigTest {
    @TempDir
    private Path manifests;

    @Test
    void givenNothing_thenUpstreamsDefaults() {
        var identity = parse(Map.of());
        assertThat(identity.authority()).isEqualTo(IdentityConfig.AuthorityChoice.AUTO);
        assertThat(identity.limits().usual()).isEqualTo(Duration.ofHours(24));
        assertThat(identity.limits().longest()).isEqualTo(Duration.ofDays(90));
        assertThat(identity.root().lifetime()).isEqualTo(Duration.ofDays(3650));
        assertThat(identity.root().change()).isEqualTo(RootChange.REFUSED);
        assertThat(identity.credentials().tokenAudiences()).containsExactly("istio-ca");
        assertThat(identity.trustedNodeAccounts().accounts()).isEmpty();
        assertThat(identity.credentials().ways()).containsExactlyInAnyOrder(IdentityConfig.Way.values());
        assertThat(identity.credentials().gateways()).isEmpty();
        assertThat(identity.checks()).containsExactlyInAnyOrder(IdentityConfig.Check.TLS, IdentityConfig.Check.NODE);
    }

    @Test
    void givenUpstreamsVariables_thenTheyCount() {
        var identity = parse(Map.of(
                "CA_TRUSTED_NODE_ACCOUNTS", "istio-system/ztunnel, kube-system/ztunnel",
                "DEFAULT_WORKLOAD_CERT_TTL", "1h30m",
                "MAX_WORKLOAD_CERT_TTL", "48h",
                "TOKEN_AUDIENCES", "istio-ca,other",
                "JWT_RULE", "{\"issuer\":\"https://issuer\"}",
                "TRUSTED_GATEWAY_CIDR", "10.0.0.0/8,fd00::/8",
                "ISTIO_MULTIROOT_MESH", "true",
                "XDS_AUTH_PLAINTEXT", "true",
                "PILOT_ENABLE_XDS_IDENTITY_CHECK", "false"));
        assertThat(identity.trustedNodeAccounts().accounts())
                .containsExactlyInAnyOrder("istio-system/ztunnel", "kube-system/ztunnel");
        assertThat(identity.limits().usual()).isEqualTo(Duration.ofMinutes(90));
        assertThat(identity.credentials().tokenAudiences()).containsExactly("istio-ca", "other");
        assertThat(identity.credentials().jwtRule().orElseThrow().issuer()).isEqualTo("https://issuer");
        assertThat(identity.credentials().gateways()).hasSize(2);
        assertThat(identity.root().change()).isEqualTo(RootChange.SUBSET_RELATED);
        assertThat(identity.checks())
                .containsExactlyInAnyOrder(IdentityConfig.Check.TLS, IdentityConfig.Check.PLAINTEXT);
    }

    @Test
    void whenAuthenticationIsOff_thenNothingIsChecked() {
        assertThat(parse(Map.of("XDS_AUTH", "false", "XDS_AUTH_PLAINTEXT", "true"))
                        .checks())
                .isEmpty();
    }

    @Test
    void givenVault_thenItsOwnSettingsAreRead() {
        var identity = parse(Map.of("FATHOM_CA", "vault", "VAULT_ADDR", "https://vault:8200", "VAULT_TOKEN", "t"));
        assertThat(identity.vault()).isPresent();
        assertThatThrownBy(() -> parse(Map.of("FATHOM_CA", "vault"))).hasMessageContaining("VAULT_ADDR");
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                argumentSet("an unknown authority", "FATHOM_CA", "theirs", "self-signed"),
                argumentSet("no time", "DEFAULT_WORKLOAD_CERT_TTL", "soon", "24h"),
                argumentSet("a time without unit", "DEFAULT_WORKLOAD_CERT_TTL", "24", "24h"),
                argumentSet("a maximum below the usual", "MAX_WORKLOAD_CERT_TTL", "1h", "DEFAULT_WORKLOAD_CERT_TTL"),
                argumentSet("no lifetime", "DEFAULT_WORKLOAD_CERT_TTL", "0s", "raise it"),
                argumentSet("no audience", "TOKEN_AUDIENCES", " , ", "istio-ca"),
                argumentSet("no rule", "JWT_RULE", "{}", "issuer"),
                argumentSet("no block", "TRUSTED_GATEWAY_CIDR", "10.0.0.0/8,gateway", "10.0.0.0/8"),
                argumentSet("an unknown way", "FATHOM_AUTHENTICATORS", "certificate,password", "token"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenAMistake_thenTheComplaintNamesVariableOrFix(String variable, String value, String hint) {
        assertThatThrownBy(() -> parse(Map.of(variable, value))).hasMessageContaining(hint);
    }

    private IdentityConfig parse(Map<String, String> environment) {
        return FathomdConfig.parse(new String[] {"--manifests", manifests.toString()}, environment)
                .identity();
    }
}
