// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class VaultServerTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://vault:8200",
                "https://10.0.0.1/",
                "http://127.0.0.1:8200",
                "http://[::1]:8200",
                "http://localhost"
            })
    void givenAGoodAddress_thenAccepted(String address) {
        assertThat(VaultServer.at(URI.create(address)).endpoint("sys/health").toString())
                .endsWith("/v1/sys/health");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "vault:8200",
                "ldap://vault",
                "https://vault/v1/",
                "https://vault?x",
                "https://u:p@vault",
                "http://vault:8200"
            })
    void givenABadAddress_thenRefused(String address) {
        assertThatThrownBy(() -> VaultServer.at(URI.create(address)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("u:p@");
    }

    @Test
    void givenPlaintextIsWanted_thenAccepted() {
        assertThatCode(() -> VaultServer.at(URI.create("http://vault:8200"), VaultServer.Plaintext.ANYWHERE))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/pki", "pki/", "a//b", "../sys", "pki/../sys", "pki?x", "p k", "pki#", "p%2e"})
    void givenANameThatLeadsElsewhere_thenRefused(String mount) {
        assertThatThrownBy(() -> IntermediateProfile.of(mount, "cluster.local"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new VaultLogin.Kubernetes(mount, "role", Path.of("jwt")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void givenMountAndIssuer_thenThePathIsTheOneOfTheApi() {
        var profile = IntermediateProfile.of("team/pki", "cluster.local");
        assertThat(profile.signPath()).isEqualTo("team/pki/root/sign-intermediate");
        assertThat(profile.withIssuer("next").signPath()).isEqualTo("team/pki/issuer/next/sign-intermediate");
    }

    @Test
    void givenASecret_thenItsTextNeverShows() {
        var secret = new Secret("hvs.abc");
        assertThat(secret).hasToString("***");
        assertThat(new VaultLogin.Token(secret).toString()).doesNotContain("abc");
        assertThatThrownBy(() -> new Secret("hvs.abc\r\nX-Evil: 1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("abc");
    }
}
