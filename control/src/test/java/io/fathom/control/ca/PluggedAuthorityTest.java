// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.AuthorityHealth.State;
import io.fathom.control.ca.PluggedAuthority.RootChange;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.TestPki;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PluggedAuthorityTest {
    private final TestClock clock = new TestClock();
    private final SigningMaterial root = TestPki.root(clock.instant());
    private final SigningMaterial otherRoot = TestPki.root(clock.instant());
    private final SigningMaterial first = TestPki.intermediate(root, clock.instant(), Duration.ofDays(30));
    private final SigningMaterial second = TestPki.intermediate(root, clock.instant(), Duration.ofDays(60));

    @TempDir
    Path folder;

    @Test
    void givenAnEmptyFolder_thenNothingIsPluggedIn() {
        assertThat(PluggedAuthority.open(folder, RootChange.REFUSED, clock)).isEmpty();
        assertThat(PluggedAuthority.open(folder.resolve("none"), RootChange.REFUSED, clock))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ca-cert.pem", "ca-key.pem", "cert-chain.pem", "root-cert.pem"})
    void givenAPartialSet_thenStartIsAborted(String missing) throws Exception {
        TestPki.write(folder, first, root.roots());
        Files.delete(folder.resolve(missing));
        assertThatThrownBy(() -> PluggedAuthority.open(folder, RootChange.REFUSED, clock))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(missing);
    }

    @Test
    void givenARootThatSomebodyGenerated_thenNothingIsPluggedIn() throws Exception {
        TestPki.write(folder, first, root.roots());
        Files.writeString(folder.resolve("istio-generated"), "");
        assertThat(PluggedAuthority.open(folder, RootChange.REFUSED, clock)).isEmpty();
    }

    @Test
    void givenRevocations_thenTheyAreKnownAndFollowed() throws Exception {
        var authority = open(first, root.roots(), RootChange.REFUSED);
        assertThat(authority.revocations()).isEmpty();
        Files.writeString(folder.resolve("ca-crl.pem"), "CRL");
        authority.look();
        authority.look();
        assertThat(authority.revocations()).isEqualTo("CRL");
    }

    @Test
    void givenFilesThatDoNotFit_thenStartIsAborted() throws Exception {
        TestPki.write(folder, first, root.roots());
        Files.writeString(folder.resolve("ca-key.pem"), Pem.encode(second.key()));
        assertThatThrownBy(() -> PluggedAuthority.open(folder, RootChange.REFUSED, clock))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("key does not belong");
    }

    @Test
    void givenACompleteSet_thenItSigns() {
        var authority = open(first, root.roots(), RootChange.REFUSED);
        assertThat(authority.material().signer()).isEqualTo(first.signer());
        assertThat(authority.material().intermediates()).containsExactly(first.signer());
        assertThat(authority.roots()).containsExactly(root.signer());
        assertThat(authority.health().state()).isEqualTo(State.READY);
        assertThat(authority.health().signerNotAfter()).contains(clock.instant().plus(Duration.ofDays(30)));
    }

    @Test
    void givenAChainFileWithTheRootInIt_thenTheRootIsNotSentAsAnIntermediate() throws Exception {
        TestPki.write(folder, first, root.roots());
        Files.writeString(folder.resolve("cert-chain.pem"), Pem.encode(List.of(first.signer(), root.signer())));
        var authority = PluggedAuthority.open(folder, RootChange.REFUSED, clock).orElseThrow();
        assertThat(authority.material().intermediates()).containsExactly(first.signer());
    }

    @Test
    void givenTheNamesOfATlsSecret_thenTheySign() throws Exception {
        Files.writeString(folder.resolve("tls.crt"), Pem.encode(first.chain()));
        Files.writeString(folder.resolve("tls.key"), Pem.encode(first.key()));
        Files.writeString(folder.resolve("ca.crt"), Pem.encode(root.roots()));
        var authority = PluggedAuthority.open(folder, RootChange.REFUSED, clock).orElseThrow();
        assertThat(authority.material().signer()).isEqualTo(first.signer());
    }

    @Test
    void whenTheIntermediateIsSwapped_thenItIsTakenOver() {
        var authority = open(first, root.roots(), RootChange.REFUSED);
        var changes = changes(authority);
        TestPki.write(folder, second, root.roots());
        authority.look();
        assertThat(authority.material().signer()).isEqualTo(first.signer());
        authority.look();
        assertThat(authority.material().signer()).isEqualTo(second.signer());
        assertThat(changes).hasValue(1);
        authority.look();
        assertThat(changes).hasValue(1);
    }

    @Test
    void whenFilesAreReplacedOneByOne_thenOnlyTheWholeSetCounts() throws Exception {
        var authority = open(first, root.roots(), RootChange.REFUSED);
        Files.writeString(folder.resolve("ca-cert.pem"), Pem.encode(second.signer()));
        authority.look();
        Files.writeString(folder.resolve("ca-key.pem"), Pem.encode(second.key()));
        authority.look();
        Files.writeString(folder.resolve("cert-chain.pem"), Pem.encode(second.chain()));
        authority.look();
        assertThat(authority.health().state()).isEqualTo(State.READY);
        authority.look();
        assertThat(authority.material().signer()).isEqualTo(second.signer());
        assertThat(authority.health().state()).isEqualTo(State.READY);
    }

    @Test
    void whenBadFilesAppear_thenTheOldOnesStayAndTheStateShowsUntilItIsMended() throws Exception {
        var authority = open(first, root.roots(), RootChange.REFUSED);
        var changes = changes(authority);
        Files.writeString(folder.resolve("ca-key.pem"), "garbage");
        lookTwice(authority);
        assertThat(problem(authority)).isEqualTo("bad-key-pem");

        Files.writeString(folder.resolve("ca-key.pem"), Pem.encode(second.key()));
        lookTwice(authority);
        assertThat(problem(authority)).isEqualTo("ca-key-mismatch");

        Files.delete(folder.resolve("ca-key.pem"));
        lookTwice(authority);
        assertThat(problem(authority)).isEqualTo("cacerts-incomplete");
        assertThat(authority.material().signer()).isEqualTo(first.signer());
        assertThat(changes).hasValue(3);

        TestPki.write(folder, second, root.roots());
        lookTwice(authority);
        assertThat(authority.health().state()).isEqualTo(State.READY);
        assertThat(authority.material().signer()).isEqualTo(second.signer());
    }

    @Test
    void whenAnExpiredIntermediateAppears_thenTheOldOneStays() {
        var authority = open(first, root.roots(), RootChange.REFUSED);
        TestPki.write(folder, TestPki.intermediate(root, clock.instant(), Duration.ofSeconds(-1)), root.roots());
        lookTwice(authority);
        assertThat(problem(authority)).isEqualTo("chain-not-trusted");
        assertThat(authority.material().signer()).isEqualTo(first.signer());
    }

    @Test
    void givenOneRoot_whenRootsChange_thenItIsRefused() {
        var authority = open(first, root.roots(), RootChange.REFUSED);
        var other = TestPki.intermediate(otherRoot, clock.instant(), Duration.ofDays(30));
        TestPki.write(folder, other, otherRoot.roots());
        lookTwice(authority);
        assertThat(problem(authority)).isEqualTo("cacerts-root-changed");
        TestPki.write(folder, first, List.of(root.signer(), otherRoot.signer()));
        lookTwice(authority);
        assertThat(problem(authority)).isEqualTo("cacerts-root-changed");
        assertThat(authority.roots()).containsExactly(root.signer());
    }

    @Test
    void givenAMeshOfSeveralRoots_thenOneMayComeAndOneMayGoButNotBothAtOnce() {
        var other = TestPki.intermediate(otherRoot, clock.instant(), Duration.ofDays(30));
        var authority = open(first, root.roots(), RootChange.SUBSET_RELATED);
        TestPki.write(folder, other, otherRoot.roots());
        lookTwice(authority);
        assertThat(problem(authority)).isEqualTo("cacerts-root-disjoint");

        var both = List.of(root.signer(), otherRoot.signer());
        TestPki.write(folder, first, both);
        lookTwice(authority);
        assertThat(authority.roots()).isEqualTo(both);
        TestPki.write(folder, other, both);
        lookTwice(authority);
        assertThat(authority.material().signer()).isEqualTo(other.signer());
        TestPki.write(folder, other, otherRoot.roots());
        lookTwice(authority);
        assertThat(authority.roots()).containsExactly(otherRoot.signer());
        assertThat(authority.health().state()).isEqualTo(State.READY);
    }

    @Test
    void whenStarted_thenChangesAreFollowedByThemselves() {
        try (var authority = open(first, root.roots(), RootChange.REFUSED).start()) {
            TestPki.write(folder, second, root.roots());
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> authority.material().signer().equals(second.signer()));
        }
    }

    private PluggedAuthority open(SigningMaterial material, List<X509Certificate> roots, RootChange change) {
        TestPki.write(folder, material, roots);
        return PluggedAuthority.open(folder, change, clock).orElseThrow();
    }

    private static void lookTwice(PluggedAuthority authority) {
        authority.look();
        authority.look();
    }

    private static AtomicInteger changes(Authority authority) {
        var changes = new AtomicInteger();
        var _ = authority.subscribe(changes::incrementAndGet);
        return changes;
    }

    private static String problem(Authority authority) {
        assertThat(authority.health().state()).isEqualTo(State.DEGRADED);
        return authority.health().problem().map(Problem::code).orElse("none");
    }
}
