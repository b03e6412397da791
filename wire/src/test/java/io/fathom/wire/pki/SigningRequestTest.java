// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.ProblemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class SigningRequestTest {
    private static final String PAYMENTS = "spiffe://cluster.local/ns/default/sa/payments";

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(KeyAlgorithm.class)
    void givenAGoodRequest_thenItsKeyAndNamesAreRead(KeyAlgorithm algorithm) {
        var keys = algorithm.generate();
        var request = SigningRequest.parse(RequestWriter.write(keys, List.of(PAYMENTS, "payments.svc")));
        assertThat(request.key()).isEqualTo(SubjectKey.of(keys.getPublic()));
        assertThat(request.names()).containsExactly(PAYMENTS, "payments.svc");
        assertThat(request.asksCommonName()).isFalse();
    }

    @Test
    void givenARequestMadeByOpenssl_thenItIsRead() throws Exception {
        var openssl = new OpenSsl(folder);
        assertThat(openssl.run(
                        "req",
                        "-new",
                        "-newkey",
                        "ec",
                        "-pkeyopt",
                        "ec_paramgen_curve:P-256",
                        "-nodes",
                        "-keyout",
                        "key.pem",
                        "-out",
                        "csr.pem",
                        "-subj",
                        "/CN=payments",
                        "-addext",
                        "subjectAltName=critical,URI:" + PAYMENTS + ",IP:10.0.0.1,email:a@b.c"))
                .startsWith("ok");
        var request = SigningRequest.parse(Files.readString(folder.resolve("csr.pem")));
        assertThat(request.asksCommonName()).isTrue();
        assertThat(request.names()).containsExactly(PAYMENTS, "address:0a000001", "other:1");
    }

    @Test
    void whenMade_thenOpensslAcceptsIt() throws Exception {
        var openssl = new OpenSsl(folder);
        var csr = openssl.file("csr.pem", RequestWriter.write(KeyAlgorithm.P256.generate(), List.of(PAYMENTS)));
        assertThat(openssl.run("req", "-in", csr.toString(), "-noout", "-verify", "-text"))
                .startsWith("ok")
                .containsPattern("X509v3 Subject Alternative Name: critical\n *URI:" + PAYMENTS);
    }

    static Stream<Arguments> refused() throws Exception {
        var good = RequestWriter.write(KeyAlgorithm.P256.generate(), List.of(PAYMENTS));
        var weak = KeyPairGenerator.getInstance("RSA");
        weak.initialize(1024);
        var wide = KeyPairGenerator.getInstance("EC");
        wide.initialize(new ECGenParameterSpec("secp521r1"));
        var edwards = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        var edwardsRequest = new JcaPKCS10CertificationRequestBuilder(new X500Name(""), edwards.getPublic())
                .build(new JcaContentSignerBuilder("Ed25519").build(edwards.getPrivate()));
        var rsa = KeyAlgorithm.RSA2048.generate();
        var old = new JcaPKCS10CertificationRequestBuilder(new X500Name(""), rsa.getPublic())
                .build(new JcaContentSignerBuilder("SHA1withRSA").build(rsa.getPrivate()));
        var stolen = new JcaPKCS10CertificationRequestBuilder(
                        new X500Name(""), KeyAlgorithm.P256.generate().getPublic())
                .build(new JcaContentSignerBuilder("SHA256withECDSA")
                        .build(KeyAlgorithm.P256.generate().getPrivate()));
        var otherKind = new JcaPKCS10CertificationRequestBuilder(
                        new X500Name(""), KeyAlgorithm.P256.generate().getPublic())
                .build(new JcaContentSignerBuilder("SHA256withRSA").build(rsa.getPrivate()));
        return Stream.of(
                argumentSet("nothing", "", "csr-malformed"),
                argumentSet("text", "please", "csr-malformed"),
                argumentSet("an empty block", pem(new byte[0]), "csr-malformed"),
                argumentSet("another block", good.replace("CERTIFICATE REQUEST", "PRIVATE KEY"), "csr-malformed"),
                argumentSet("a block without end", good.substring(0, good.length() / 2), "csr-malformed"),
                argumentSet("a thousand nested sequences", pem(nested(1000)), "csr-malformed"),
                argumentSet("an oversized one", good + "\n".repeat(SigningRequest.MAX_CHARACTERS), "csr-too-large"),
                argumentSet("RSA 1024", RequestWriter.write(weak.generateKeyPair(), List.of(PAYMENTS)), "csr-weak-key"),
                argumentSet(
                        "P-521", RequestWriter.write(wide.generateKeyPair(), List.of(PAYMENTS)), "csr-unsupported-key"),
                argumentSet("Ed25519", pem(edwardsRequest.getEncoded()), "csr-unsupported-key"),
                argumentSet("SHA-1", pem(old.getEncoded()), "csr-weak-signature"),
                argumentSet("another's public key", pem(stolen.getEncoded()), "csr-bad-signature"),
                argumentSet("another kind of key", pem(otherKind.getEncoded()), "csr-bad-signature"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void givenABadRequest_thenTheProblemSaysWhy(String pem, String code) {
        assertThat(codeOf(pem)).isEqualTo(code);
    }

    @Test
    void givenTenThousandGarbledRequests_thenEachIsRefusedOrUnharmed() {
        var random = new Random(7);
        var good = Base64.getMimeDecoder()
                .decode(RequestWriter.write(KeyAlgorithm.P256.generate(), List.of(PAYMENTS))
                        .lines()
                        .filter(line -> !line.startsWith("-"))
                        .reduce("", String::concat));
        for (var i = 0; i < 10_000; i++) {
            var bytes = i % 4 == 0 ? new byte[random.nextInt(2000)] : good.clone();
            if (i % 4 == 0) {
                random.nextBytes(bytes);
            } else {
                for (var flips = 0; flips <= i % 4; flips++) {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
                }
            }
            assertThat(codeOf(pem(bytes)))
                    .isIn(
                            "csr-malformed",
                            "csr-bad-signature",
                            "csr-unsupported-key",
                            "csr-weak-signature",
                            "csr-weak-key");
        }
    }

    private static String codeOf(String pem) {
        try {
            return "accepted " + SigningRequest.parse(pem);
        } catch (ProblemException e) {
            return e.problem().code();
        }
    }

    private static byte[] nested(int depth) {
        var der = new DerWriter(16);
        for (var i = 0; i < depth; i++) {
            der.enclose(DerWriter.SEQUENCE, 0);
        }
        return der.toByteArray();
    }

    private static String pem(byte[] der) {
        return Pem.encode("CERTIFICATE REQUEST", der);
    }
}
