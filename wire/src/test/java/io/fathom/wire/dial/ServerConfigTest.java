// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerConfigTest {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "https://istiod.istio-system.svc:15012, istiod.istio-system.svc, 15012",
        "istiod.istio-system.svc:443, istiod.istio-system.svc, 443",
        "HTTPS://istiod, istiod, 15012",
        "https://[2001:db8::1]:15012, 2001:db8::1, 15012",
        "10.0.0.1:1, 10.0.0.1, 1",
    })
    void givenAnAddress_thenHostAndPort(String address, String host, int port) {
        var config = ServerConfig.parse(address, new ServerTrust.OfSystem());
        assertThat(config.host()).isEqualTo(host);
        assertThat(config.port()).isEqualTo(port);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://istiod:15010", "https://", "::", "https://a b"})
    void givenAnythingElse_thenTheProblemTellsTheForm(String address) {
        assertThatThrownBy(() -> ServerConfig.parse(address, new ServerTrust.OfSystem()))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("https://istiod.istio-system.svc:15012");
    }

    @Test
    void givenAToken_thenReadFromItsFileEachTime_orTakenAsItIs_neverPrinted() throws IOException {
        var file = folder.resolve("token");
        var token = BearerToken.parse(file.toString());
        assertThatThrownBy(token::read).isInstanceOf(ProblemException.class).hasMessageContaining("istio-ca");
        Files.writeString(file, "one\n");
        assertThat(token.read()).contains("one");
        Files.writeString(file, "two");
        assertThat(token.read()).contains("two");
        assertThat(BearerToken.parse("secret").read()).contains("secret");
        assertThat(BearerToken.parse("secret").toString()).doesNotContain("secret");
        assertThat(BearerToken.parse("").read()).isEmpty();
    }

    @Test
    void givenRoots_thenFromFileTextOrSystem() throws IOException {
        var keys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(keys, "test", NOW, Duration.ofDays(1));
        var file = folder.resolve("root.pem");
        var trust = ServerTrust.parse(file.toString());
        assertThatThrownBy(trust::roots).isInstanceOf(ProblemException.class).hasMessageContaining("root.pem");
        Files.writeString(file, Pem.encode(root));
        assertThat(trust.roots()).containsExactly(root);
        assertThat(ServerTrust.parse(Pem.encode(root)).roots()).containsExactly(root);
        assertThat(ServerTrust.parse("SYSTEM")).isEqualTo(new ServerTrust.OfSystem());
        Files.writeString(file, "garbage");
        assertThatThrownBy(trust::roots).isInstanceOf(ProblemException.class);
    }

    @Test
    void givenASecondName_thenItMustBeInTheCertificate() {
        var keys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(keys, "test", NOW, Duration.ofDays(1));
        var material = new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root));
        var names = List.of("istiod.istio-system.svc", "*.example.com", "10.0.0.1");
        var leaf = new Issuer(material)
                .sign(
                        new Leaf(
                                SubjectKey.of(KeyAlgorithm.P256.generate().getPublic()),
                                names,
                                Leaf.Subject.EMPTY,
                                Duration.ofHours(1)),
                        NOW)
                .certificate();
        assertThat(NamedTrust.hasName(leaf, "ISTIOD.istio-system.svc")).isTrue();
        assertThat(NamedTrust.hasName(leaf, "a.example.com")).isTrue();
        assertThat(NamedTrust.hasName(leaf, "10.0.0.1")).isTrue();
        assertThat(NamedTrust.hasName(leaf, "a.b.example.com")).isFalse();
        assertThat(NamedTrust.hasName(leaf, "example.com")).isFalse();
        assertThat(NamedTrust.hasName(leaf, "other")).isFalse();
    }
}
