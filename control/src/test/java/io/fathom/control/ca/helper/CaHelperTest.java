// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.helper;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.testkit.ManualTimeline;
import io.fathom.control.ca.CaFiles;
import io.fathom.control.ca.MemoryRootStore;
import io.fathom.control.ca.RootStore;
import io.fathom.control.ca.RootStore.Content;
import io.fathom.control.ca.helper.HelperConfig.Foreign;
import io.fathom.control.ca.vault.IntermediateProfile;
import io.fathom.control.ca.vault.RenewalPolicy;
import io.fathom.control.ca.vault.ScriptedVault;
import io.fathom.control.ca.vault.Secret;
import io.fathom.control.ca.vault.TestCa;
import io.fathom.control.ca.vault.VaultConfig;
import io.fathom.control.ca.vault.VaultLogin;
import io.fathom.control.ca.vault.VaultServer;
import io.fathom.wire.pki.MaterialCheck;
import io.fathom.wire.pki.SigningMaterial;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Against a scripted Vault, with time moved by hand: rounds run on the test's own thread.
class CaHelperTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration TTL = Duration.ofHours(10);
    private static final String SIGN = "pki/root/sign-intermediate";

    private final ManualTimeline time = new ManualTimeline(START);
    private final ScriptedVault vault = new ScriptedVault(time);
    private final TestCa root = root("root");
    private final FailingStore store = new FailingStore();

    @AfterEach
    void stop() {
        vault.close();
    }

    @Test
    void givenNothingStored_thenAnIntermediateIsStoredAndItsSuccessorInTime() {
        vault.signWith(root);
        try (var helper = start(Foreign.REFUSED)) {
            assertThat(helper.status().unready().map(Problem::code)).contains("cacerts-missing");
            time.settle();
            assertThat(helper.status().unready()).isEmpty();
            var signers = new HashSet<X509Certificate>();
            for (var hour = 0; hour < 48; hour++) {
                var material = stored();
                assertThat(MaterialCheck.problem(material, time.instant())).isEmpty();
                assertThat(Duration.between(time.instant(), material.notAfter()))
                        .isGreaterThan(TTL.dividedBy(4));
                signers.add(material.signer());
                time.advance(Duration.ofHours(1));
            }
            assertThat(signers).hasSizeBetween(7, 9);
            assertThat(helper.status().writes()).isBetween(7L, 9L);
            assertThat(helper.status().metrics())
                    .containsEntry("fathom_cacerts_alarm", 0.0)
                    .containsEntry("fathom_vault_up", 1.0);
        }
    }

    @Test
    void whenTheHelperStartsAgain_thenWhatIsStoredGoesOnUntilItsTime() {
        vault.signWith(root);
        try (var first = start(Foreign.REFUSED)) {
            time.settle();
            assertThat(first.status().writes()).isOne();
        }
        var before = store.read();
        time.advance(Duration.ofHours(5));
        try (var second = start(Foreign.REFUSED)) {
            time.settle();
            assertThat(second.status().unready()).isEmpty();
            assertThat(store.read()).isEqualTo(before);
            assertThat(vault.count(SIGN)).isOne();

            time.advance(Duration.ofHours(2));
            assertThat(vault.count(SIGN)).isEqualTo(2);
            assertThat(second.status().writes()).isOne();
        }
    }

    @Test
    void whenVaultIsAway_thenWhatIsStoredStaysAndTheEndIsAnnounced() {
        vault.signWith(root);
        try (var helper = start(Foreign.REFUSED)) {
            time.settle();
            var before = store.read();
            vault.on("sys/health", _ -> ScriptedVault.Reply.of(503, Map.of("sealed", true)));

            time.advance(Duration.ofHours(8));
            assertThat(helper.status().unready()).isEmpty();
            time.advance(Duration.ofHours(1));
            assertThat(helper.status().unready().orElseThrow().code()).isEqualTo("cacerts-expiring");
            assertThat(helper.status().unready().orElseThrow().message())
                    .contains("place of the test", "is sealed", START.plus(TTL).toString());
            time.advance(Duration.ofHours(2));
            assertThat(helper.status().unready().orElseThrow().code()).isEqualTo("cacerts-expired");
            assertThat(helper.status().metrics()).containsEntry("fathom_cacerts_alarm", 2.0);
            assertThat(store.read()).isEqualTo(before);

            vault.on("sys/health", _ -> ScriptedVault.Reply.of(200, Map.of()));
            time.advance(Duration.ofMinutes(2));
            assertThat(helper.status().unready()).isEmpty();
            assertThat(store.read()).isNotEqualTo(before);
        }
    }

    @Test
    void whenVaultHasANewRoot_thenItIsTrustedBeforeItSignsAndTheOldOneAfterwards() {
        var next = root("next");
        vault.signWith(root);
        try (var _ = start(Foreign.REFUSED)) {
            time.settle();
            vault.signWith(next);

            while (stored().roots().size() == 1) {
                time.advance(Duration.ofMinutes(1)); // until the renewal, and not to the end of its overlap
            }
            assertThat(stored().roots()).containsExactlyInAnyOrder(root.certificate(), next.certificate());
            assertThat(stored().signer().getIssuerX500Principal())
                    .isEqualTo(root.certificate().getSubjectX500Principal());
            time.advance(Duration.ofMinutes(10));
            assertThat(stored().roots()).containsExactlyInAnyOrder(root.certificate(), next.certificate());
            assertThat(stored().signer().getIssuerX500Principal())
                    .isEqualTo(next.certificate().getSubjectX500Principal());
        }
        try (var restarted = start(Foreign.REFUSED)) {
            time.settle();
            assertThat(stored().roots()).hasSize(2);
            time.advanceTo(START.plus(Duration.ofDays(1)));
            assertThat(stored().roots()).containsExactly(next.certificate());
            assertThat(restarted.status().unready()).isEmpty();
        }
    }

    @Test
    void givenCertificatesOfSomebodyElse_thenTheyStay() {
        vault.signWith(root);
        var foreign = foreign();
        store.replace(Optional.empty(), foreign);
        try (var helper = start(Foreign.REFUSED)) {
            time.advance(Duration.ofHours(1));
            assertThat(store.read()).contains(foreign);
            assertThat(helper.status().trouble().orElseThrow().code()).isEqualTo("cacerts-foreign");
            assertThat(helper.status().unready().orElseThrow().toString()).contains("CN=mine", "--take-over true");
            assertThat(vault.count(SIGN)).isZero();
        }
    }

    @Test
    void givenSomethingElseInTheirPlace_thenItStays() {
        var damaged = new Content(Map.of("ca-cert.pem", "nonsense", "ca-key.pem", ""));
        store.replace(Optional.empty(), damaged);
        try (var helper = start(Foreign.REFUSED)) {
            time.settle();
            assertThat(store.read()).contains(damaged);
            assertThat(helper.status().trouble().orElseThrow().code()).isEqualTo("cacerts-damaged");
        }
    }

    @Test
    void givenCertificatesOfSomebodyElse_whenTakenOver_thenTheirRootIsTrustedOn() {
        vault.signWith(root);
        var foreign = foreign();
        store.replace(Optional.empty(), foreign);
        try (var helper = start(Foreign.REPLACED)) {
            time.settle();
            assertThat(stored().roots()).hasSize(2).contains(root.certificate());
            assertThat(entry("ca-key.pem")).isEqualTo(foreign.entries().get("ca-key.pem"));
            assertThat(entry("ca-crl.pem")).isEqualTo("revoked");

            time.advance(Duration.ofMinutes(6));
            assertThat(entry("ca-key.pem")).isNotEqualTo(foreign.entries().get("ca-key.pem"));
            assertThat(stored().roots()).hasSize(2);
            assertThat(entry("ca-crl.pem")).isEqualTo("revoked");
            assertThat(helper.status().unready()).isEmpty();
        }
    }

    @Test
    void whenTheStoreFails_thenItIsTriedAgain() {
        vault.signWith(root);
        store.fails = true;
        try (var helper = start(Foreign.REFUSED)) {
            time.advance(Duration.ofMinutes(10));
            assertThat(helper.status().unready().orElseThrow().message()).contains("no store");
            assertThat(helper.status().failures()).isBetween(10L, 30L);
            store.fails = false;
            time.advance(Duration.ofMinutes(1));
            assertThat(helper.status().unready()).isEmpty();
            assertThat(helper.status().trouble()).isEmpty();
            assertThat(vault.count(SIGN)).isOne();
        }
    }

    @Test
    void whenSomebodyDeletesIt_thenTheSameIsStoredAgain() {
        vault.signWith(root);
        try (var helper = start(Foreign.REFUSED)) {
            time.settle();
            var before = store.read();
            store.delegate = new MemoryRootStore();
            time.advance(Duration.ofMinutes(20));
            assertThat(store.read()).isEqualTo(before);
            assertThat(helper.status().writes()).isEqualTo(2);
        }
    }

    @Test
    void whenSomebodyElseReplacesIt_thenThatStays() {
        vault.signWith(root);
        try (var helper = start(Foreign.REFUSED)) {
            time.settle();
            var foreign = foreign();
            store.replace(store.read(), foreign);
            time.advance(Duration.ofHours(9));
            assertThat(store.read()).contains(foreign);
            assertThat(helper.status().trouble().orElseThrow().code()).isEqualTo("cacerts-foreign");
        }
    }

    @Test
    void givenTwoHelpers_thenBothEndWithTheSame() {
        vault.signWith(root);
        try (var one = start(Foreign.REFUSED);
                var other = start(Foreign.REFUSED)) {
            for (var hour = 0; hour < 30; hour++) {
                time.advance(Duration.ofHours(1));
                assertThat(MaterialCheck.problem(stored(), time.instant())).isEmpty();
            }
            assertThat(one.status().storedUntil()).isEqualTo(other.status().storedUntil());
            assertThat(one.status().unready()).isEmpty();
            assertThat(other.status().unready()).isEmpty();
        }
    }

    private CaHelper start(Foreign foreign) {
        var config = new VaultConfig(
                VaultServer.at(vault.address()),
                new VaultLogin.Token(new Secret("hvs.secret")),
                IntermediateProfile.of("pki", "cluster.local").withTtl(TTL),
                RenewalPolicy.DEFAULT.withCheckEvery(Duration.ofMinutes(20)));
        return CaHelper.start(
                new HelperConfig(config, store, "place of the test", foreign), time, new SplittableRandom(1));
    }

    private SigningMaterial stored() {
        return CaFiles.of(store.read().orElseThrow()).material();
    }

    private String entry(String name) {
        return store.read().orElseThrow().entries().getOrDefault(name, "");
    }

    private static TestCa root(String name) {
        return TestCa.root(name, START.minusSeconds(60), START.plus(Duration.ofDays(100)));
    }

    /// Somebody's own intermediate, which lives for years.
    private static Content foreign() {
        var end = START.plus(Duration.ofDays(3000));
        var theirs = TestCa.root("their root", START.minusSeconds(60), end);
        var signer = theirs.below("mine", 0, START.minusSeconds(60), end);
        var material = new SigningMaterial(signer.key(), List.of(signer.certificate()), List.of(theirs.certificate()));
        return CaFiles.of(material, material.roots(), Optional.empty()).content(Map.of("ca-crl.pem", "revoked"));
    }

    private static final class FailingStore implements RootStore {
        private RootStore delegate = new MemoryRootStore();
        private boolean fails;

        @Override
        public Optional<Content> read() {
            return checked().read();
        }

        @Override
        public boolean replace(Optional<Content> expected, Content content) {
            return checked().replace(expected, content);
        }

        private RootStore checked() {
            if (fails) {
                throw new ProblemException(Problem.ofInput("test", "no store", "none"));
            }
            return delegate;
        }
    }
}
