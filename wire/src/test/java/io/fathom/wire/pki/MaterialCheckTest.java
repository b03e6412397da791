// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.Problem;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class MaterialCheckTest {
    static Stream<Arguments> materials() {
        var root = TestPki.root(KeyAlgorithm.RSA2048);
        var other = TestPki.root(KeyAlgorithm.P256);
        var one = TestPki.intermediate(root, KeyAlgorithm.P256, Duration.ofDays(30));
        var two = TestPki.intermediate(one, KeyAlgorithm.P256, Duration.ofDays(20));
        var leaf = new Issuer(root)
                .sign(
                        new Leaf(
                                SubjectKey.of(one.signer().getPublicKey()),
                                List.of("spiffe://td/ns/a/sa/b"),
                                Leaf.Subject.EMPTY,
                                Duration.ofDays(1)),
                        TestPki.NOW);
        return Stream.of(
                argumentSet("a root", root, "none"),
                argumentSet("an intermediate", one, "none"),
                argumentSet("two intermediates", two, "none"),
                argumentSet(
                        "a second root beside it",
                        new SigningMaterial(one.key(), one.chain(), List.of(other.signer(), root.signer())),
                        "none"),
                argumentSet(
                        "the root within the chain",
                        new SigningMaterial(one.key(), List.of(one.signer(), root.signer()), root.roots()),
                        "none"),
                argumentSet(
                        "another's key", new SigningMaterial(two.key(), one.chain(), one.roots()), "ca-key-mismatch"),
                argumentSet(
                        "a key of another kind",
                        new SigningMaterial(root.key(), one.chain(), one.roots()),
                        "ca-key-mismatch"),
                argumentSet(
                        "another's root",
                        new SigningMaterial(one.key(), one.chain(), other.roots()),
                        "chain-not-trusted"),
                argumentSet(
                        "a gap in the chain",
                        new SigningMaterial(two.key(), List.of(two.signer()), two.roots()),
                        "chain-not-trusted"),
                argumentSet(
                        "a leaf that signs",
                        new SigningMaterial(one.key(), List.of(leaf.certificate()), root.roots()),
                        "ca-not-an-authority"),
                argumentSet(
                        "an expired intermediate",
                        TestPki.intermediate(root, KeyAlgorithm.P256, Duration.ofSeconds(-1)),
                        "chain-not-trusted"));
    }

    @ParameterizedTest
    @MethodSource("materials")
    void whenChecked(SigningMaterial material, String code) {
        assertThat(MaterialCheck.problem(material, TestPki.NOW)
                        .map(Problem::code)
                        .orElse("none"))
                .isEqualTo(code);
    }
}
