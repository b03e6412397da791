// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.SigningMaterial;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class IntermediateChainTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant FROM = NOW.minusSeconds(60);
    private static final Instant UNTIL = NOW.plus(Duration.ofDays(10));

    private final KeyPair keys = TestCa.keys();
    private final TestCa root = TestCa.root("root", FROM, UNTIL);
    private final TestCa middle = root.below("middle", 1, FROM, UNTIL);

    @Test
    void givenARootAlone_thenTheChainIsTheSignerAndTheRootIsApart() {
        var signer = signedBy(root);
        var material = assemble(signer, List.of(root.certificate()), List.of());
        assertThat(material.chain()).containsExactly(signer);
        assertThat(material.roots()).containsExactly(root.certificate());
    }

    @Test
    void givenAnIntermediateOfVaultInAnyOrder_thenTheChainIsInOrder() {
        var signer = signedBy(middle);
        var stranger = TestCa.root("stranger", FROM, UNTIL).certificate();
        var material = assemble(signer, List.of(stranger, root.certificate(), middle.certificate()), List.of());
        assertThat(material.chain()).containsExactly(signer, middle.certificate());
        assertThat(material.roots()).containsExactly(root.certificate());
    }

    @Test
    void givenARootThatVaultDoesNotKnow_thenItComesFromTheFile() {
        var signer = signedBy(middle);
        assertThat(assemble(signer, List.of(middle.certificate()), List.of(root.certificate()))
                        .roots())
                .containsExactly(root.certificate());
        refused("vault-root-unknown", signer, List.of(middle.certificate()), List.of());
    }

    @Test
    void givenAFileOfRoots_whenVaultsChainEndsElsewhere_thenItIsRefused() {
        var meant = TestCa.root("meant", FROM, UNTIL).certificate();
        refused("vault-root-not-trusted", signedBy(root), List.of(root.certificate()), List.of(meant));
    }

    @Test
    void givenAFileWithMoreRoots_thenClientsGetThoseThatAreAliveAfterOurs() {
        var next = TestCa.root("next", FROM, UNTIL).certificate();
        var over = TestCa.root("over", FROM, NOW).certificate();
        assertThat(assemble(signedBy(root), List.of(), List.of(over, next, root.certificate()))
                        .roots())
                .containsExactly(root.certificate(), next);
    }

    @Test
    void givenARootOfTheSameNameWithAnotherKey_thenItDoesNotCount() {
        var impostor = TestCa.root("root", FROM, UNTIL).certificate();
        refused("vault-root-unknown", signedBy(root), List.of(impostor), List.of());
    }

    @Test
    void givenAnotherKey_thenRefused() {
        var other = root.authority("signer", TestCa.keys().getPublic(), OptionalInt.of(0), FROM, UNTIL);
        refused("vault-wrong-key", other, List.of(root.certificate()), List.of());
    }

    @Test
    void givenALeafInsteadOfAnAuthority_thenRefused() {
        var leaf = root.leaf("spiffe://td", keys.getPublic(), FROM, UNTIL);
        refused("vault-not-intermediate", leaf, List.of(root.certificate()), List.of());
    }

    @Test
    void givenASelfSignedAnswer_thenRefused() {
        var own = new TestCa(root.certificate(), keys.getPrivate())
                .authority("root", keys.getPublic(), OptionalInt.of(0), FROM, UNTIL);
        refused("vault-not-intermediate", own, List.of(), List.of());
    }

    @Test
    void givenAnIssuerThatAllowsNoAuthorityBelow_thenRefused() {
        var narrow = root.below("narrow", 0, FROM, UNTIL);
        refused("vault-path-length", signedBy(narrow), List.of(narrow.certificate(), root.certificate()), List.of());
    }

    @Test
    void givenTimesThatDoNotFit_thenRefused() {
        var early = root.authority("signer", keys.getPublic(), OptionalInt.of(0), NOW.plusSeconds(5), UNTIL);
        refused("vault-clock-skew", early, List.of(root.certificate()), List.of());
        var late = root.authority("signer", keys.getPublic(), OptionalInt.of(0), FROM, NOW);
        refused("vault-chain-expired", late, List.of(root.certificate()), List.of());
    }

    @Test
    void givenALoopOfCrossSignedAuthorities_thenItEnds() {
        var a = TestCa.root("a", FROM, UNTIL);
        var b = TestCa.root("b", FROM, UNTIL);
        var aByB = b.authority("a", a.certificate().getPublicKey(), OptionalInt.empty(), FROM, UNTIL);
        var bByA = a.authority("b", b.certificate().getPublicKey(), OptionalInt.empty(), FROM, UNTIL);
        refused("vault-root-unknown", signedBy(a), List.of(aByB, bByA), List.of());
        assertThat(assemble(signedBy(a), List.of(aByB, bByA, a.certificate()), List.of())
                        .chain())
                .hasSize(1);
    }

    private X509Certificate signedBy(TestCa authority) {
        return authority.authority("signer", keys.getPublic(), OptionalInt.of(0), FROM, UNTIL);
    }

    private SigningMaterial assemble(
            X509Certificate signer, List<X509Certificate> others, List<X509Certificate> pinned) {
        return IntermediateChain.assemble(keys, signer, others, pinned, NOW);
    }

    private void refused(
            String code, X509Certificate signer, List<X509Certificate> others, List<X509Certificate> pinned) {
        assertThatThrownBy(() -> assemble(signer, others, pinned)).isInstanceOfSatisfying(ProblemException.class, e -> {
            assertThat(e.problem().code()).isEqualTo(code);
            assertThat(e.problem().fix()).isNotEmpty();
        });
    }
}
