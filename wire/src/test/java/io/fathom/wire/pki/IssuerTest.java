// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Identity;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class IssuerTest {
    private static final Instant NOW = TestPki.NOW;
    private static final String PAYMENTS = "spiffe://cluster.local/ns/default/sa/payments";
    private static final Duration DAY = Duration.ofDays(1);

    @TempDir
    Path folder;

    static Stream<Arguments> signers() {
        var ecRoot = TestPki.root(KeyAlgorithm.P256);
        var rsaRoot = TestPki.root(KeyAlgorithm.RSA2048);
        var wide = TestPki.root(KeyAlgorithm.P384);
        return Stream.of(
                argumentSet("a P-256 root", ecRoot, KeyAlgorithm.P256, "ecdsa-with-SHA256"),
                argumentSet("a P-256 root and an RSA key", ecRoot, KeyAlgorithm.RSA2048, "ecdsa-with-SHA256"),
                argumentSet("an RSA root", rsaRoot, KeyAlgorithm.P256, "sha256WithRSAEncryption"),
                argumentSet("a P-384 root and key", wide, KeyAlgorithm.P384, "ecdsa-with-SHA384"),
                argumentSet(
                        "a P-256 intermediate under an RSA root",
                        TestPki.intermediate(rsaRoot, KeyAlgorithm.P256, Duration.ofDays(365)),
                        KeyAlgorithm.P256,
                        "ecdsa-with-SHA256"),
                argumentSet(
                        "two intermediates",
                        TestPki.intermediate(
                                TestPki.intermediate(ecRoot, KeyAlgorithm.P256, Duration.ofDays(700)),
                                KeyAlgorithm.P256,
                                Duration.ofDays(365)),
                        KeyAlgorithm.P256,
                        "ecdsa-with-SHA256"));
    }

    @ParameterizedTest
    @MethodSource("signers")
    void whenSigned_thenOpensslVerifiesChainNamesUsageAndLifetime(
            SigningMaterial material, KeyAlgorithm leafKey, String algorithm) throws Exception {
        var issued = issue(material, leafKey, List.of(PAYMENTS), Leaf.Subject.EMPTY, DAY);
        var openssl = new OpenSsl(folder);
        var leaf = openssl.file("leaf.pem", issued.pem());
        var roots = openssl.file("roots.pem", Pem.encode(material.roots()));
        var chain = openssl.file("chain.pem", Pem.encode(material.chain()));
        var time = Long.toString(NOW.getEpochSecond());

        assertThat(material.intermediates().isEmpty() || !material.chain().equals(material.roots()))
                .isTrue();
        for (var purpose : List.of("sslserver", "sslclient")) {
            assertThat(openssl.run(
                            "verify",
                            "-x509_strict",
                            "-attime",
                            time,
                            "-purpose",
                            purpose,
                            "-CAfile",
                            roots.toString(),
                            "-untrusted",
                            chain.toString(),
                            leaf.toString()))
                    .startsWith("ok ");
        }
        var text = openssl.run("x509", "-in", leaf.toString(), "-noout", "-text");
        assertThat(text)
                .contains("Version: 3 (0x2)")
                .contains("Signature Algorithm: " + algorithm)
                .containsPattern("Subject: *\n")
                .containsPattern("X509v3 Key Usage: critical\n *Digital Signature, Key Encipherment\n")
                .containsPattern("X509v3 Extended Key Usage: *\n *TLS Web Server Authentication, TLS Web Client Auth")
                .containsPattern("X509v3 Basic Constraints: critical\n *CA:FALSE")
                .containsPattern("X509v3 Subject Alternative Name: critical\n *URI:" + PAYMENTS + "\n")
                .contains("X509v3 Authority Key Identifier")
                .contains("Not Before: Nov 15 11:58:00 2026 GMT")
                .contains("Not After : Nov 16 12:00:00 2026 GMT");
    }

    @Test
    void whenSigned_thenTheJdkReadsTheSame() {
        var material = TestPki.root(KeyAlgorithm.P256);
        var keys = KeyAlgorithm.P256.generate();
        var leaf = new Leaf(SubjectKey.of(keys.getPublic()), List.of(PAYMENTS), Leaf.Subject.EMPTY, DAY);
        var issued = new Issuer(material).sign(leaf, NOW);
        var certificate = issued.certificate();

        assertThat(AlternativeNames.identities(certificate))
                .containsExactly(new Identity("cluster.local", "default", "payments"));
        assertThat(certificate.getPublicKey()).isEqualTo(keys.getPublic());
        assertThat(certificate.getSerialNumber()).isEqualTo(new BigInteger(issued.serial(), 16));
        assertThat(certificate.getNotBefore().toInstant()).isEqualTo(issued.notBefore());
        assertThat(certificate.getNotAfter().toInstant()).isEqualTo(issued.notAfter());
        assertThat(ChainVerifier.problem(List.of(certificate), material.roots(), NOW))
                .isEmpty();
        assertThat(ChainVerifier.problem(
                        List.of(certificate), material.roots(), NOW.plus(DAY).plusSeconds(1)))
                .isPresent();
    }

    @Test
    void givenAShortIntermediate_thenTheLeafEndsWithIt() {
        var material = TestPki.intermediate(TestPki.root(KeyAlgorithm.P256), KeyAlgorithm.P256, Duration.ofHours(2));
        var issued = issue(material, KeyAlgorithm.P256, List.of(PAYMENTS), Leaf.Subject.EMPTY, DAY);
        assertThat(issued.notAfter()).isEqualTo(NOW.plus(Duration.ofHours(2)));
    }

    @Test
    void givenAnExpiredSigner_thenNothingIsSigned() {
        var material = TestPki.intermediate(TestPki.root(KeyAlgorithm.P256), KeyAlgorithm.P256, Duration.ofHours(2));
        var leaf = leaf(KeyAlgorithm.P256, List.of(PAYMENTS), Leaf.Subject.EMPTY, DAY);
        assertThatThrownBy(() -> new Issuer(material).sign(leaf, NOW.plus(Duration.ofHours(2))))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().code()).isEqualTo("signer-expired"));
    }

    @Test
    void givenServerNames_thenEachIsOfItsKind() throws Exception {
        var names = List.of("istiod.istio-system.svc", "10.0.0.1", "fd00::1", PAYMENTS);
        var issued = issue(TestPki.root(KeyAlgorithm.P256), KeyAlgorithm.P256, names, Leaf.Subject.COMMON_NAME, DAY);
        var openssl = new OpenSsl(folder);
        var leaf = openssl.file("leaf.pem", issued.pem());
        assertThat(openssl.run("x509", "-in", leaf.toString(), "-noout", "-text"))
                .contains("Subject: CN = istiod.istio-system.svc")
                .contains("DNS:istiod.istio-system.svc, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1, URI:"
                        + PAYMENTS);
        assertThat(AlternativeNames.of(issued.certificate()))
                .containsExactlyInAnyOrder(PAYMENTS, "istiod.istio-system.svc", "10.0.0.1", "fd00:0:0:0:0:0:0:1");
    }

    @Test
    void givenANameTooLongForACommonName_thenTheSubjectStaysEmpty() {
        var name = "spiffe://cluster.local/ns/a-rather-long-namespace/sa/and-a-rather-long-service-account";
        var issued = issue(
                TestPki.root(KeyAlgorithm.P256),
                KeyAlgorithm.P256,
                List.of(name),
                Leaf.Subject.COMMON_NAME,
                Duration.ofDays(1));
        assertThat(issued.certificate().getSubjectX500Principal().getName()).isEmpty();
    }

    @Test
    void givenALifetimePast2049_thenItIsWrittenInFull() {
        var keys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(keys, "cluster.local", NOW, Duration.ofDays(36500));
        var material = new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root));
        var issued = issue(material, KeyAlgorithm.P256, List.of(PAYMENTS), Leaf.Subject.EMPTY, Duration.ofDays(20000));
        assertThat(issued.certificate().getNotAfter().toInstant()).isEqualTo(NOW.plus(Duration.ofDays(20000)));
    }

    @Test
    void whenManyAreSignedAtOnce_thenAllVerifyAndNoSerialRepeats() {
        var material = TestPki.root(KeyAlgorithm.P256);
        var issuer = new Issuer(material);
        var leaf = leaf(KeyAlgorithm.P256, List.of(PAYMENTS), Leaf.Subject.EMPTY, DAY);
        var issued = Stream.generate(() -> leaf)
                .limit(500)
                .parallel()
                .map(each -> issuer.sign(each, NOW))
                .toList();
        assertThat(new HashSet<>(issued.stream().map(IssuedCertificate::serial).toList()))
                .hasSize(500);
        assertThat(issued)
                .allSatisfy(
                        each -> assertThat(ChainVerifier.problem(List.of(each.certificate()), material.roots(), NOW))
                                .isEmpty());
    }

    @Test
    void givenANameThatCannotBeWritten_thenItIsNoLeaf() {
        for (var name : List.of("", "spiffe://td/ns/a b/sa/c", "spiffe://td/ns/ä/sa/c", "host\n")) {
            assertThatThrownBy(() -> leaf(KeyAlgorithm.P256, List.of(name), Leaf.Subject.EMPTY, DAY))
                    .as(name)
                    .hasMessageContaining("printable");
        }
    }

    @Test
    void whenMaterialIsPrinted_thenTheKeyIsHidden() {
        var material = TestPki.root(KeyAlgorithm.P256);
        assertThat(material.toString()).contains("key=***").doesNotContain("PrivateKey");
    }

    private static IssuedCertificate issue(
            SigningMaterial material, KeyAlgorithm key, List<String> names, Leaf.Subject subject, Duration lifetime) {
        return new Issuer(material).sign(leaf(key, names, subject, lifetime), NOW);
    }

    private static Leaf leaf(KeyAlgorithm key, List<String> names, Leaf.Subject subject, Duration lifetime) {
        return new Leaf(SubjectKey.of(key.generate().getPublic()), names, subject, lifetime);
    }
}
