// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.testkit.ManualTimeline;
import io.fathom.control.ca.AuthorityHealth.State;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Against a real Vault. Time is moved by hand where waiting would teach nothing: rounds then run on the test's thread.
@Tag("slow")
final class VaultIT {
    private static final String SIGN_POLICY = """
            path "pki/root/sign-intermediate" { capabilities = ["create", "update"] }
            """;
    private static final Duration TTL = Duration.ofHours(2);

    @TempDir
    private static Path directory;

    private final InstantSource clock = InstantSource.system();
    private static LocalVault vault;

    @BeforeAll
    static void start() {
        vault = LocalVault.start(directory.resolve("vault"));
    }

    @AfterAll
    static void stop() {
        if (vault != null) {
            vault.close();
        }
    }

    @Test
    void givenATokenWithTheDocumentedPolicyOnly_thenOpensslVerifiesWhatTheIntermediateSigns() throws Exception {
        var time = new ManualTimeline(clock.instant());
        var login = new VaultLogin.Token(vault.tokenWith(SIGN_POLICY, Map.of("period", "1h")));
        for (var kind : KeyAlgorithm.values()) {
            var profile = IntermediateProfile.of("pki", "cluster.local")
                    .withKeyAlgorithm(kind)
                    .withTtl(TTL);
            try (var authority = start(vault.address(), login, profile, time)) {
                time.settle();
                assertThat(authority.health().problem()).isEmpty();
                var signer = authority.material().signer();
                assertThat(signer.getBasicConstraints()).isZero();
                assertThat(signer.getSubjectAlternativeNames()).containsExactly(List.of(6, "spiffe://cluster.local"));
                assertThat(signer.getSubjectX500Principal().getName()).contains("O=cluster.local");
                assertThat(Duration.between(
                                clock.instant(), authority.material().notAfter()))
                        .isBetween(TTL.minusMinutes(1), TTL);
                assertThat(opensslVerify(authority.material())).contains("leaf.pem: OK");
            }
        }
    }

    @Test
    void givenAnIntermediateOfVaultWithItsOwnRootElsewhere_thenTheChainHasBothAndOpensslVerifiesIt() throws Exception {
        mountBelowRoot("pki-below");
        var time = new ManualTimeline(clock.instant());
        var profile = IntermediateProfile.of("pki-below", "cluster.local").withTtl(TTL);
        try (var authority = start(vault.address(), rootLogin(), profile, time)) {
            time.settle();
            assertThat(authority.health().problem()).isEmpty();
            assertThat(authority.material().chain()).hasSize(2);
            assertThat(authority.roots()).hasSize(1);
            assertThat(opensslVerify(authority.material())).contains("leaf.pem: OK");
        }
    }

    @Test
    void givenANameConstraint_thenOpensslRefusesLeavesOfOtherTrustDomains() throws Exception {
        var time = new ManualTimeline(clock.instant());
        var profile = IntermediateProfile.of("pki", "cluster.local").withTtl(TTL);
        try (var bound = start(
                        vault.address(), rootLogin(), profile.withPermittedUriDomains(List.of("cluster.local")), time);
                var foreign = start(
                        vault.address(), rootLogin(), profile.withPermittedUriDomains(List.of("elsewhere")), time)) {
            time.settle();
            assertThat(opensslVerify(bound.material())).contains("leaf.pem: OK");
            assertThat(opensslVerify(foreign.material())).contains("permitted subtree violation");
        }
    }

    @Test
    void givenShortLifetimes_thenItIsRenewedAgainAndAgainBeforeItEnds() {
        var policy = RenewalPolicy.DEFAULT.withRetry(Duration.ofMillis(200), Duration.ofSeconds(1));
        var profile = IntermediateProfile.of("pki", "cluster.local").withTtl(Duration.ofSeconds(6));
        var keys = new HashSet<>();
        try (var time = new SystemTimeline();
                var authority = VaultAuthority.start(
                        new VaultConfig(VaultServer.at(vault.address()), rootLogin(), profile, policy),
                        time,
                        new SplittableRandom(1))) {
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> authority.health().state() == State.READY);
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> {
                        var material = authority.material(); // would throw if there were a gap
                        assertThat(material.notAfter()).isAfter(clock.instant());
                        keys.add(material.signer());
                        return keys.size() >= 4;
                    });
            assertThat(authority.status().failures()).isZero();
        }
    }

    @Test
    void whenSealedKilledAndRestarted_thenTheIntermediateGoesOnAndRecoveryIsAutomatic() throws Exception {
        var time = new ManualTimeline(clock.instant());
        var login = new VaultLogin.Token(vault.tokenWith(SIGN_POLICY, Map.of("period", "24h")));
        var profile = IntermediateProfile.of("pki", "cluster.local").withTtl(TTL);
        try (var authority = start(vault.address(), login, profile, time)) {
            time.settle();
            var first = authority.material();

            vault.seal();
            time.advance(Duration.ofSeconds(30));
            expect(authority, State.DEGRADED, "vault-sealed");
            assertThat(authority.material()).isEqualTo(first);
            assertThat(opensslVerify(authority.material())).contains("leaf.pem: OK");
            vault.unseal();
            time.advance(Duration.ofMinutes(1));
            assertThat(authority.health().state()).isEqualTo(State.READY);

            vault.kill();
            time.advance(Duration.ofSeconds(30));
            expect(authority, State.DEGRADED, "vault-unreachable");
            time.advance(Duration.ofMinutes(80)); // past two thirds of the lifetime
            assertThat(authority.material()).isEqualTo(first);
            time.advance(Duration.ofMinutes(25));
            expect(authority, State.DEGRADED, "vault-intermediate-expiring");
            assertThat(authority.status().alarm()).isEqualTo(Alarm.EXPIRING);

            vault.restart();
            time.advance(Duration.ofMinutes(1));
            assertThat(authority.health().problem().orElseThrow().message()).contains("is sealed");
            vault.unseal();
            time.advance(Duration.ofMinutes(1));
            assertThat(authority.material()).isNotEqualTo(first);
            assertThat(authority.status().failingSince()).isEmpty();
            assertThat(authority.status().renewals()).isEqualTo(2);
        }
    }

    @Test
    void whenVaultIsSlow_thenRoundsTimeOutAndNobodyElseWaits() {
        var profile = IntermediateProfile.of("pki", "cluster.local").withTtl(TTL);
        var policy = RenewalPolicy.DEFAULT
                .withCheckEvery(Duration.ofMillis(100))
                .withRetry(Duration.ofMillis(100), Duration.ofMillis(200));
        try (var proxy = new SlowProxy(vault.port());
                var time = new SystemTimeline();
                var slow = VaultAuthority.start(
                        new VaultConfig(
                                VaultServer.at(proxy.address()).withRequestTimeout(Duration.ofMillis(500)),
                                rootLogin(),
                                profile,
                                policy),
                        time,
                        new SplittableRandom(1));
                var other = VaultAuthority.start(
                        new VaultConfig(VaultServer.at(vault.address()), rootLogin(), profile, policy),
                        time,
                        new SplittableRandom(2))) {
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> slow.health().state() == State.READY
                            && other.health().state() == State.READY);
            var first = slow.material();
            proxy.hold();
            await().atMost(Duration.ofSeconds(20)).until(() -> slow.status().failures() >= 3);
            expect(slow, State.DEGRADED, "vault-timeout");
            assertThat(other.status().failures()).isZero();
            assertThat(other.health().state()).isEqualTo(State.READY);
            var began = System.nanoTime();
            assertThat(slow.material()).isEqualTo(first);
            assertThat(slow.roots()).hasSize(1);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(400));

            proxy.release();
            await().atMost(Duration.ofSeconds(20)).until(() -> slow.health().state() == State.READY);
        }
    }

    @Test
    void givenAWrongToken_thenTheProblemSaysWhatToDo() {
        expectAtStart(new VaultLogin.Token(new Secret("hvs.wrong")), "pki", "vault-token-rejected");
    }

    @Test
    void givenAMissingMount_thenTheProblemSaysWhatToDo() {
        expectAtStart(rootLogin(), "nowhere", "vault-mount-missing");
    }

    @Test
    void givenAMountWithoutARoot_thenTheProblemSaysWhatToDo() {
        vault.root("POST", "sys/mounts/pki-empty", Map.of("type", "pki"));
        expectAtStart(rootLogin(), "pki-empty", "vault-no-issuer");
    }

    @Test
    void givenAPolicyWithoutThePath_thenTheProblemNamesIt() {
        var token = vault.tokenWith("path \"pki/cert/*\" { capabilities = [\"read\"] }", Map.of());
        var fix = expectAtStart(new VaultLogin.Token(token), "pki", "vault-denied");
        assertThat(fix).contains("path \"pki/root/sign-intermediate\"");
    }

    @Test
    void givenATokenFile_whenTheTokenIsRevokedAndTheFileReplaced_thenItGoesOn() throws IOException {
        var first = vault.tokenWith(SIGN_POLICY, Map.of("period", "1h"));
        var file = Files.writeString(directory.resolve("token"), first.reveal() + "\n");
        var time = new ManualTimeline(clock.instant());
        var profile = IntermediateProfile.of("pki", "cluster.local").withTtl(TTL);
        try (var authority = start(vault.address(), new VaultLogin.TokenFile(file), profile, time)) {
            time.settle();
            vault.root("POST", "auth/token/revoke", Map.of("token", first.reveal()));
            time.advance(Duration.ofMinutes(85));
            expect(authority, State.DEGRADED, "vault-token-rejected");
            Files.writeString(
                    file, vault.tokenWith(SIGN_POLICY, Map.of("period", "1h")).reveal());
            awaitGain(authority.material());
            time.advance(Duration.ofMinutes(2));
            assertThat(authority.health().problem()).isEmpty();
            assertThat(authority.status().renewals()).isEqualTo(2);
        }
    }

    @Test
    void givenANewRootInVault_thenItIsAnnouncedBeforeItIsUsed() throws Exception {
        vault.root("POST", "sys/mounts/pki-turn", Map.of("type", "pki", "config", Map.of("max_lease_ttl", "87600h")));
        vault.newRoot("pki-turn", "Old root");
        var time = new ManualTimeline(clock.instant());
        var profile = IntermediateProfile.of("pki-turn", "cluster.local").withTtl(TTL);
        try (var authority = start(vault.address(), rootLogin(), profile, time)) {
            time.settle();
            var first = authority.material();
            vault.newRoot("pki-turn", "New root");
            awaitGain(first);
            time.advance(Duration.ofMinutes(81));
            assertThat(authority.roots()).hasSize(2);
            if (authority.material().equals(first)) {
                time.advance(Duration.ofMinutes(5));
            }
            assertThat(authority.material().roots()).doesNotContainAnyElementsOf(first.roots());
            assertThat(authority.roots()).hasSize(2);
            assertThat(opensslVerify(authority.material())).contains("leaf.pem: OK");
        }
    }

    @Test
    void givenTls_thenVaultIsBelievedWithItsCaFileOnly() throws Exception {
        var tls = Files.createDirectories(directory.resolve("tls"));
        var port = LocalVault.freePorts(1).getFirst();
        var process = new ProcessBuilder(
                        LocalVault.program("vault").toString(),
                        "server",
                        "-dev-tls",
                        "-dev-tls-cert-dir=" + tls,
                        "-dev-root-token-id=root",
                        "-dev-no-store-token",
                        "-dev-listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(tls.resolve("log").toFile())
                .start();
        try {
            var address = URI.create("https://127.0.0.1:" + port);
            var ca = tls.resolve("vault-ca.pem");
            var login = new VaultLogin.Token(new Secret("root"));
            var time = new ManualTimeline(clock.instant());
            await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(ca));
            var profile = IntermediateProfile.of("pki", "cluster.local");
            var server = VaultServer.at(address);
            try (var strict = VaultAuthority.start(
                            new VaultConfig(server, login, profile), time, new SplittableRandom(1));
                    var trusting = VaultAuthority.start(
                            new VaultConfig(server.withCaFile(ca), login, profile), time, new SplittableRandom(1))) {
                await().atMost(Duration.ofSeconds(30)).until(() -> {
                    time.advance(Duration.ofMinutes(1));
                    return code(trusting).equals("vault-mount-missing"); // a dev server has no PKI engine
                });
                assertThat(code(strict)).isEqualTo("vault-tls");
            }
        } finally {
            process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
    }

    private void mountBelowRoot(String mount) {
        vault.root("POST", "sys/mounts/" + mount, Map.of("type", "pki", "config", Map.of("max_lease_ttl", "8000h")));
        var csr = vault.root(
                        "POST",
                        mount + "/intermediate/generate/internal",
                        Map.of("common_name", "Middle", "key_type", "ec"))
                .path("data")
                .path("csr")
                .asText();
        var signed = vault.root(
                        "POST",
                        "pki/root/sign-intermediate",
                        Map.of("csr", csr, "common_name", "Middle", "ttl", "4000h", "format", "pem_bundle"))
                .path("data")
                .path("certificate")
                .asText();
        vault.root("POST", mount + "/intermediate/set-signed", Map.of("certificate", signed));
    }

    private String expectAtStart(VaultLogin login, String mount, String code) {
        var time = new ManualTimeline(clock.instant());
        var profile = IntermediateProfile.of(mount, "cluster.local").withTtl(TTL);
        try (var authority = start(vault.address(), login, profile, time)) {
            time.settle();
            expect(authority, State.DOWN, code);
            return authority.health().problem().orElseThrow().fix();
        }
    }

    private static void expect(VaultAuthority authority, State state, String code) {
        assertThat(authority.health().state()).isEqualTo(state);
        assertThat(code(authority)).isEqualTo(code);
        assertThat(authority.health().problem().orElseThrow().fix()).isNotEmpty();
    }

    private static String code(VaultAuthority authority) {
        return authority.health().problem().map(problem -> problem.code()).orElse("");
    }

    private VaultLogin rootLogin() {
        return new VaultLogin.Token(vault.rootToken());
    }

    /// Vault goes by the real time: only a second later does a renewal end later and so gain anything.
    private void awaitGain(SigningMaterial held) {
        var ending = held.chain().getFirst().getNotAfter().toInstant();
        await().until(() -> clock.instant().isAfter(ending.minus(TTL).plusSeconds(2)));
    }

    private static VaultAuthority start(
            URI address, VaultLogin login, IntermediateProfile profile, ManualTimeline time) {
        return VaultAuthority.start(
                new VaultConfig(VaultServer.at(address), login, profile), time, new SplittableRandom(1));
    }

    /// Issues a leaf and lets openssl judge the whole chain.
    private String opensslVerify(SigningMaterial material) throws IOException, InterruptedException {
        var folder = Files.createTempDirectory(directory, "openssl");
        var leaf = new Leaf(
                SubjectKey.of(TestCa.keys().getPublic()),
                List.of("spiffe://cluster.local/ns/default/sa/web"),
                Leaf.Subject.EMPTY,
                Duration.ofMinutes(10));
        Files.writeString(
                folder.resolve("leaf.pem"),
                new Issuer(material).sign(leaf, clock.instant()).pem());
        Files.writeString(folder.resolve("chain.pem"), Pem.encode(material.intermediates()));
        Files.writeString(folder.resolve("roots.pem"), Pem.encode(material.roots()));
        var process = new ProcessBuilder(
                        "openssl",
                        "verify",
                        "-x509_strict",
                        "-CAfile",
                        "roots.pem",
                        "-untrusted",
                        "chain.pem",
                        "leaf.pem")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor(10, TimeUnit.SECONDS);
        return said;
    }
}
