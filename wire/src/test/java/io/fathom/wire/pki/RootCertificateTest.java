// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RootCertificateTest {
    private static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z");
    private static final Duration YEAR = Duration.ofDays(365);

    @Test
    void givenTwoIntermediatesOfOneRoot_thenWhatEitherSignsVerifies_andNeitherMayMakeAuthorities() {
        var rootKeys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(rootKeys, "mesh", NOW, YEAR);
        for (var algorithm : List.of(KeyAlgorithm.P256, KeyAlgorithm.RSA2048)) {
            var keys = algorithm.generate();
            var signer = RootCertificate.intermediate(root, rootKeys.getPrivate(), keys, "east", NOW, YEAR);
            var material = new SigningMaterial(keys.getPrivate(), List.of(signer), List.of(root));

            assertThat(MaterialCheck.problem(material, NOW)).isEmpty();
            assertThat(signer.getBasicConstraints()).isZero();
            assertThat(signer.getSubjectX500Principal().getName()).isEqualTo("CN=east");
            var leafKeys = KeyAlgorithm.P256.generate();
            var leaf = new Issuer(material)
                    .sign(
                            new Leaf(
                                    SubjectKey.of(leafKeys.getPublic()),
                                    List.of("spiffe://mesh/ns/a/sa/b"),
                                    Leaf.Subject.EMPTY,
                                    Duration.ofHours(1)),
                            NOW);
            var path = List.of(leaf.certificate(), signer);
            assertThat(ChainVerifier.problem(path, List.of(root), NOW)).isEmpty();
            var stranger = RootCertificate.create(KeyAlgorithm.P256.generate(), "mesh", NOW, YEAR);
            assertThat(ChainVerifier.problem(path, List.of(stranger), NOW)).isPresent();
        }
    }
}
