// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.KeyAlgorithm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class VaultSettingsTest {
    private static final Map<String, String> LEAST =
            Map.of("VAULT_ADDR", "https://vault:8200", "VAULT_TOKEN", "hvs.secret");

    @Test
    void givenTheLeast_thenTheRestIsAsDocumented() {
        var config = VaultSettings.parse(LEAST, "cluster.local");
        assertThat(config.server().address()).hasToString("https://vault:8200");
        assertThat(config.login()).isEqualTo(new VaultLogin.Token(new Secret("hvs.secret")));
        assertThat(config.profile()).isEqualTo(IntermediateProfile.of("pki", "cluster.local"));
        assertThat(config.renewal().checkEvery()).isEqualTo(RenewalPolicy.DEFAULT.checkEvery());
        assertThat(config.toString()).doesNotContain("hvs.secret");
    }

    @Test
    void givenEverything_thenEverythingIsUsed() {
        var config = VaultSettings.parse(
                Map.ofEntries(
                        Map.entry("VAULT_ADDR", "http://vault:8200"),
                        Map.entry("FATHOM_VAULT_PLAINTEXT", "true"),
                        Map.entry("VAULT_NAMESPACE", "team"),
                        Map.entry("VAULT_CACERT", "/ca.pem"),
                        Map.entry("FATHOM_VAULT_TIMEOUT", "1500ms"),
                        Map.entry("FATHOM_VAULT_KUBERNETES_ROLE", "fathomd"),
                        Map.entry("FATHOM_VAULT_KUBERNETES_MOUNT", "k8s/east"),
                        Map.entry("FATHOM_VAULT_KUBERNETES_JWT_FILE", "/jwt"),
                        Map.entry("FATHOM_VAULT_PKI_MOUNT", "mesh/pki"),
                        Map.entry("FATHOM_VAULT_PKI_ISSUER", "east"),
                        Map.entry("FATHOM_VAULT_COMMON_NAME", "East"),
                        Map.entry("FATHOM_VAULT_TTL", "36h"),
                        Map.entry("FATHOM_VAULT_KEY", "RSA2048"),
                        Map.entry("FATHOM_VAULT_NAME_CONSTRAINT", "true"),
                        Map.entry("FATHOM_VAULT_ROOTS_FILE", "/roots.pem"),
                        Map.entry("FATHOM_VAULT_RENEW_AFTER", "0.5"),
                        Map.entry("FATHOM_VAULT_ALARM_BELOW", "0.3"),
                        Map.entry("FATHOM_VAULT_CHECK_EVERY", "1m"),
                        Map.entry("FATHOM_VAULT_ROOT_OVERLAP", "1d")),
                "td");
        assertThat(config.server().namespace()).contains("team");
        assertThat(config.server().caFile()).contains(Path.of("/ca.pem"));
        assertThat(config.server().requestTimeout()).isEqualTo(Duration.ofMillis(1500));
        assertThat(config.login()).isEqualTo(new VaultLogin.Kubernetes("k8s/east", "fathomd", Path.of("/jwt")));
        assertThat(config.profile().signPath()).isEqualTo("mesh/pki/issuer/east/sign-intermediate");
        assertThat(config.profile().commonName()).isEqualTo("East");
        assertThat(config.profile().ttl()).isEqualTo(Duration.ofHours(36));
        assertThat(config.profile().keyAlgorithm()).isEqualTo(KeyAlgorithm.RSA2048);
        assertThat(config.profile().permittedUriDomains()).isEqualTo(List.of("td"));
        assertThat(config.profile().rootsFile()).contains(Path.of("/roots.pem"));
        assertThat(config.renewal().renewAfter()).isEqualTo(0.5);
        assertThat(config.renewal().alarmBelow()).isEqualTo(0.3);
        assertThat(config.renewal().checkEvery()).isEqualTo(Duration.ofMinutes(1));
        assertThat(config.renewal().rootOverlap()).isEqualTo(Duration.ofDays(1));
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                argumentSet("no address", "VAULT_ADDR", "", "VAULT_ADDR"),
                argumentSet("plain http to another machine", "VAULT_ADDR", "http://vault:8200", "https"),
                argumentSet("no login", "VAULT_TOKEN", "", "FATHOM_VAULT_KUBERNETES_ROLE"),
                argumentSet("two logins", "FATHOM_VAULT_TOKEN_FILE", "/token", "exactly one"),
                argumentSet("two words as token", "VAULT_TOKEN", "hvs.secret twice", "VAULT_TOKEN"),
                argumentSet("a mount that leads elsewhere", "FATHOM_VAULT_PKI_MOUNT", "../sys", "PKI_MOUNT"),
                argumentSet("no unit", "FATHOM_VAULT_TTL", "30", "FATHOM_VAULT_TTL"),
                argumentSet("no time at all", "FATHOM_VAULT_TTL", "0s", "FATHOM_VAULT_TTL"),
                argumentSet("no kind of key", "FATHOM_VAULT_KEY", "DSA", "RSA4096"),
                argumentSet("no switch", "FATHOM_VAULT_PLAINTEXT", "yes", "true or false"),
                argumentSet("no share", "FATHOM_VAULT_RENEW_AFTER", "late", "RENEW_AFTER"),
                argumentSet("renewal after the end", "FATHOM_VAULT_RENEW_AFTER", "1.5", "RENEW_AFTER"),
                argumentSet("alarm before the renewal", "FATHOM_VAULT_ALARM_BELOW", "0.9", "alarm"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenAMistake_thenItIsNamed(String variable, String value, String named) {
        var texts = new HashMap<>(LEAST);
        texts.put(variable, value);
        assertThatThrownBy(() -> VaultSettings.parse(texts, "cluster.local"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(named)
                .hasMessageNotContaining("hvs.secret");
    }

    @ParameterizedTest
    @EnumSource
    void givenASetting_thenTheGuideHasIt(VaultSetting setting) throws IOException {
        assertThat(guide()).contains("`" + setting.variable() + "`");
        if (!setting.fallback().isEmpty()) {
            assertThat(guide()).contains("`" + setting.fallback() + "`");
        }
    }

    @Test
    void givenAProblemOrMetric_thenTheGuideHasIt() throws IOException {
        var quoted = Pattern.compile("\"((?:vault-|fathom_vault_)[a-z_-]+)\"");
        var names = new TreeSet<String>();
        try (var sources = Files.list(Path.of("src/main/java/io/fathom/control/ca/vault"))) {
            for (var source : sources.toList()) {
                quoted.matcher(Files.readString(source)).results().forEach(match -> names.add(match.group(1)));
            }
        }
        assertThat(names)
                .hasSizeGreaterThan(20)
                .allSatisfy(name -> assertThat(guide()).contains("`" + name + "`"));
    }

    private static String guide() throws IOException {
        return Files.readString(Path.of("../docs/ca-vault.md"));
    }
}
