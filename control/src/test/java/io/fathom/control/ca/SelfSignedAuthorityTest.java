// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.AuthorityHealth.State;
import io.fathom.wire.pki.ChainVerifier;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.SubjectKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SelfSignedAuthorityTest {
    private static final RootPolicy POLICY = new RootPolicy(
            KeyAlgorithm.P256,
            Duration.ofDays(100),
            RootPolicy.Renewal.NEW_KEY,
            Duration.ofDays(1),
            Duration.ofDays(10),
            Duration.ofHours(1));

    private final TestClock clock = new TestClock();

    @TempDir
    Path folder;

    @Test
    void givenNoRoot_thenOneIsMadeThatOnlyItsOwnerCanRead() throws Exception {
        var file = folder.resolve("sub/ca.yaml");
        var authority = open(new FileRootStore(file));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(authority.material().signer().getSubjectX500Principal().getName())
                .isEqualTo("O=cluster.local");
        assertThat(authority.roots()).isEqualTo(authority.material().roots());
        assertThat(authority.health().state()).isEqualTo(State.READY);
        assertThat(new FileRootStore(file).read().orElseThrow().entries())
                .containsOnlyKeys("ca-cert.pem", "ca-key.pem", "root-cert.pem", "cert-chain.pem", "key.pem");

        assertThat(open(new FileRootStore(file)).material().signer())
                .isEqualTo(authority.material().signer());
    }

    @Test
    void givenAFileOthersCanRead_thenItIsRefused() throws Exception {
        var file = folder.resolve("ca.yaml");
        open(new FileRootStore(file));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> open(new FileRootStore(file))).hasMessageContaining("chmod 600");
    }

    @Test
    void givenADamagedFile_thenStartFailsAndQuotesNothing() throws Exception {
        var file = folder.resolve("ca.yaml");
        for (var content : List.of("", "data: [", "data: {ca-cert.pem: '!'}", "kind: Secret\ndata: {}\n")) {
            Files.writeString(file, content);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            assertThatThrownBy(() -> open(new FileRootStore(file)))
                    .isInstanceOf(ProblemException.class)
                    .hasNoCause();
        }
    }

    @Test
    void whenManyStartAtOnce_thenAllHaveTheSameRoot() throws Exception {
        var file = folder.resolve("ca.yaml");
        var together = new CountDownLatch(1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var started = IntStream.range(0, 16)
                    .mapToObj(_ -> threads.submit(() -> {
                        together.await();
                        return open(new FileRootStore(file)).material().signer();
                    }))
                    .toList();
            together.countDown();
            var roots = new HashSet<X509Certificate>();
            for (var each : started) {
                roots.add(each.get());
            }
            assertThat(roots).hasSize(1);
        }
    }

    @Test
    void whenRotated_thenTheNewRootIsKnownBeforeItSignsAndTheOldOneStaysForAWhile() {
        var store = new MemoryStore();
        var authority = open(store);
        var changes = new AtomicInteger();
        var _ = authority.subscribe(changes::incrementAndGet);
        var old = authority.material().signer();
        var leafOfOld = leaf(authority);

        authority.check();
        assertThat(changes).hasValue(0);

        clock.advance(Duration.ofDays(81));
        authority.check();
        assertThat(authority.material().signer()).isEqualTo(old);
        assertThat(authority.roots()).hasSize(2).startsWith(old);
        assertThat(changes).hasValue(1);
        var announced = authority.roots();

        clock.advance(Duration.ofDays(1).plusSeconds(1));
        authority.check();
        var fresh = authority.material().signer();
        assertThat(fresh).isNotEqualTo(old);
        assertThat(authority.roots()).containsExactly(fresh, old);
        // whoever has learned of the roots before verifies what is signed now, and the other way round
        assertThat(ChainVerifier.problem(List.of(leaf(authority)), announced, clock.instant()))
                .isEmpty();
        assertThat(ChainVerifier.problem(
                        List.of(leafOfOld),
                        authority.roots(),
                        leafOfOld.getNotAfter().toInstant()))
                .isEmpty();

        clock.advance(POLICY.retirement());
        authority.check();
        assertThat(authority.roots()).containsExactly(fresh);
        assertThat(authority.health().state()).isEqualTo(State.READY);
    }

    @Test
    void whenRestartedInTheMiddleOfARotation_thenItGoesOn() {
        var store = new MemoryStore();
        var first = open(store);
        first.rotate();
        var announced = first.roots().get(1);
        var second = open(store);
        assertThat(second.roots()).isEqualTo(first.roots());
        clock.advance(Duration.ofDays(1).plusSeconds(1));
        second.check();
        assertThat(second.material().signer()).isEqualTo(announced);
    }

    @Test
    void whenAnotherReplicaRotates_thenWeFollow() {
        var store = new MemoryStore();
        var one = open(store);
        var other = open(store);
        one.rotate();
        assertThat(other.roots()).hasSize(1);
        other.check();
        assertThat(other.roots()).isEqualTo(one.roots());

        clock.advance(Duration.ofDays(2));
        one.check();
        other.check();
        assertThat(other.material().signer()).isEqualTo(one.material().signer());
    }

    @Test
    void givenTheSameKeyPolicy_thenTheRootIsProlongedWithKeyAndNameAsBefore() throws Exception {
        var policy = new RootPolicy(
                KeyAlgorithm.RSA2048,
                Duration.ofDays(100),
                RootPolicy.Renewal.SAME_KEY,
                Duration.ofDays(1),
                Duration.ofDays(10),
                Duration.ofHours(1));
        var authority = SelfSignedAuthority.open(new MemoryStore(), policy, "cluster.local", clock);
        var old = authority.material().signer();
        var leafOfOld = leaf(authority);
        authority.check();
        assertThat(authority.material().signer()).isEqualTo(old);

        clock.advance(Duration.ofDays(85));
        authority.check();
        var prolonged = authority.material().signer();
        assertThat(prolonged).isNotEqualTo(old);
        assertThat(prolonged.getPublicKey()).isEqualTo(old.getPublicKey());
        assertThat(prolonged.getSubjectX500Principal()).isEqualTo(old.getSubjectX500Principal());
        assertThat(prolonged.getKeyUsage()).isEqualTo(old.getKeyUsage());
        assertThat(prolonged.getCriticalExtensionOIDs()).isEqualTo(old.getCriticalExtensionOIDs());
        assertThat(prolonged.getNotAfter()).isAfter(old.getNotAfter());
        assertThat(authority.roots()).containsExactly(prolonged);
        assertThat(ChainVerifier.problem(List.of(leaf(authority)), List.of(old), clock.instant()))
                .isEmpty();
        leafOfOld.verify(prolonged.getPublicKey());
    }

    @Test
    void givenAStoreThatFails_thenTheOldRootStaysAndTheStateShows() {
        var store = new MemoryStore();
        var authority = open(store);
        var old = authority.material().signer();
        var changes = new AtomicInteger();
        var _ = authority.subscribe(changes::incrementAndGet);

        clock.advance(Duration.ofDays(81));
        store.failing = true;
        authority.check();
        authority.check();
        assertThat(authority.material().signer()).isEqualTo(old);
        assertThat(authority.roots()).containsExactly(old);
        assertThat(authority.health().state()).isEqualTo(State.DEGRADED);
        assertThat(changes).hasValue(1);

        store.failing = false;
        authority.check();
        assertThat(authority.health().state()).isEqualTo(State.READY);
        assertThat(authority.roots()).hasSize(2);
    }

    @Test
    void givenAStoredRootThatIsGoneOrBroken_thenTheOneInMemoryStays() {
        var store = new MemoryStore();
        var authority = open(store);
        var old = authority.material().signer();
        var stored = store.content;
        store.content = Optional.empty();
        authority.check();
        assertThat(authority.health().problem().map(Problem::code)).contains("ca-root-missing");

        store.content = Optional.of(new RootStore.Content(Map.of("ca-cert.pem", "x")));
        authority.check();
        assertThat(authority.health().state()).isEqualTo(State.DEGRADED);
        assertThat(authority.material().signer()).isEqualTo(old);

        store.content = stored;
        authority.check();
        assertThat(authority.health().state()).isEqualTo(State.READY);
    }

    @Test
    void givenARootPastItsEnd_thenTheAuthorityIsDown() {
        var authority = open(new MemoryStore());
        clock.advance(Duration.ofDays(101));
        assertThat(authority.health().state()).isEqualTo(State.DOWN);
    }

    @Test
    void whenPrinted_thenNoKeyShows() {
        var store = new MemoryStore();
        var authority = open(store);
        authority.rotate();
        var key = Pem.encode(authority.material().key())
                .lines()
                .skip(1)
                .findFirst()
                .orElseThrow();
        assertThat(store.content.orElseThrow().toString()).doesNotContain(key).contains("ca-key.pem");
        assertThat(RootState.read(store.content.orElseThrow()).toString()).doesNotContain(key);
    }

    private SelfSignedAuthority open(RootStore store) {
        return SelfSignedAuthority.open(store, POLICY, "cluster.local", clock);
    }

    private X509Certificate leaf(Authority authority) {
        var leaf = new Leaf(
                SubjectKey.of(KeyAlgorithm.P256.generate().getPublic()),
                List.of("spiffe://cluster.local/ns/a/sa/b"),
                Leaf.Subject.EMPTY,
                Duration.ofDays(1));
        return new Issuer(authority.material()).sign(leaf, clock.instant()).certificate();
    }

    private static final class MemoryStore implements RootStore {
        Optional<Content> content = Optional.empty();
        boolean failing;

        @Override
        public Optional<Content> read() {
            return content;
        }

        @Override
        public boolean replace(Optional<Content> expected, Content next) {
            if (failing) {
                throw new ProblemException(Problem.ofInput("store-failed", "cannot write", ""));
            }
            if (!content.equals(expected)) {
                return false;
            }
            content = Optional.of(next);
            return true;
        }
    }
}
