// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.testkit.ManualTimeline;
import io.fathom.control.ca.AuthorityHealth.State;
import io.fathom.control.ca.vault.ScriptedVault.Call;
import io.fathom.control.ca.vault.ScriptedVault.Reply;
import io.fathom.wire.pki.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Against a scripted Vault, with time moved by hand: rounds run on the test's own thread.
final class VaultAuthorityTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final String SIGN = "pki/root/sign-intermediate";
    private static final Duration TTL = Duration.ofHours(10);

    @TempDir
    private Path directory;

    private final ManualTimeline time = new ManualTimeline(START);
    private final ScriptedVault vault = new ScriptedVault(time);
    private final TestCa root = TestCa.root("root", START.minusSeconds(60), START.plus(Duration.ofDays(100)));
    private final AtomicInteger changes = new AtomicInteger();

    @AfterEach
    void stop() {
        vault.close();
    }

    @Test
    void givenAWorkingVault_thenTheIntermediateIsThereAfterTheFirstRoundAndRenewedInTime() {
        vault.signWith(root);
        try (var authority = start(token())) {
            assertThat(authority.health().state()).isEqualTo(State.DOWN);
            assertThatThrownBy(authority::material).isInstanceOf(ProblemException.class);
            assertThat(authority.roots()).isEmpty();

            time.settle();
            var first = authority.material();
            assertThat(authority.health().state()).isEqualTo(State.READY);
            assertThat(authority.roots()).containsExactly(root.certificate());
            assertThat(first.notAfter()).isEqualTo(START.plus(TTL));
            assertThat(changes).hasValue(1);

            time.advance(Duration.ofHours(6)); // 61.7 % to 66.7 % of 10 hours
            assertThat(authority.material()).isEqualTo(first);
            time.advance(Duration.ofHours(1));
            assertThat(authority.material().notAfter()).isAfter(START.plus(Duration.ofHours(16)));
            assertThat(authority.material().key()).isNotEqualTo(first.key());
            assertThat(changes).hasValue(2);
            assertThat(authority.status().renewals()).isEqualTo(2);
            assertThat(vault.count(SIGN)).isEqualTo(2);
        }
    }

    @Test
    void givenAYear_thenNoMomentIsWithoutAValidIntermediate() {
        var lasting = TestCa.root("root", START.minusSeconds(60), START.plus(Duration.ofDays(400)));
        vault.signWith(lasting);
        var daily = RenewalPolicy.DEFAULT.withCheckEvery(Duration.ofHours(6));
        try (var authority = start(token(), VaultServer.at(vault.address()), Duration.ofDays(30), daily)) {
            time.settle();
            for (var day = 0; day < 365; day++) {
                time.advance(Duration.ofDays(1));
                assertThat(Duration.between(time.instant(), authority.material().notAfter()))
                        .isGreaterThan(Duration.ofDays(9));
            }
            assertThat(authority.status().failures()).isZero();
            assertThat(authority.status().renewals()).isBetween(18L, 21L);
        }
    }

    @Test
    void whenVaultIsSealed_thenTheIntermediateGoesOnAndTheStateIsVisibleWithinOneCheckAndRecoveryIsAutomatic() {
        vault.signWith(root);
        try (var authority = start(token())) {
            time.settle();
            var first = authority.material();
            vault.on("sys/health", _ -> Reply.of(503, Map.of("sealed", true)));
            time.advance(Duration.ofSeconds(30));
            assertThat(authority.material()).isEqualTo(first);
            assertThat(authority.health().state()).isEqualTo(State.DEGRADED);
            assertThat(authority.health().problem().orElseThrow().code()).isEqualTo("vault-sealed");
            assertThat(authority.status().failingSince()).contains(START.plusSeconds(30));
            assertThat(changes).hasValue(2);

            time.advance(Duration.ofHours(9));
            assertThat(authority.material()).isEqualTo(first);
            assertThat(authority.status().alarm()).isEqualTo(Alarm.EXPIRING);
            assertThat(authority.health().problem().orElseThrow().message())
                    .contains("is sealed", first.notAfter().toString());
            assertThat(changes).hasValue(3);

            time.advance(Duration.ofHours(2));
            assertThat(authority.health().state()).isEqualTo(State.DOWN);
            assertThatThrownBy(authority::material).hasMessageContaining("is sealed");
            assertThat(changes).hasValue(4);
            assertThat(vault.count(SIGN)).isEqualTo(1);

            vault.on("sys/health", _ -> Reply.of(200, Map.of()));
            time.advance(Duration.ofMinutes(1));
            assertThat(authority.health().state()).isEqualTo(State.READY);
            assertThat(authority.status().failingSince()).isEmpty();
            assertThat(authority.material().notAfter()).isAfter(time.instant().plus(Duration.ofHours(9)));
        }
    }

    @Test
    void whenVaultFailsForLong_thenItIsAskedMoreAndMoreRarely() {
        vault.on("sys/health", _ -> Reply.of(503, Map.of("sealed", true)));
        try (var authority = start(token())) {
            time.advance(Duration.ofMinutes(60));
            // 1 s, 2 s, … up to a minute, each a quarter shorter on average
            assertThat(authority.status().failures()).isBetween(60L, 130L);
            assertThat(authority.health().state()).isEqualTo(State.DOWN);
            assertThat(authority.health().problem().orElseThrow().code()).isEqualTo("vault-sealed");
        }
    }

    @Test
    void whenVaultIsGone_thenTheProblemNamesTheAddress() {
        var address = vault.address();
        vault.close();
        try (var authority = start(token())) {
            time.settle();
            var problem = authority.health().problem().orElseThrow();
            assertThat(problem.code()).isEqualTo("vault-unreachable");
            assertThat(problem.message()).contains(address.toString());
        }
    }

    static Stream<Arguments> hostileAnswers() {
        return Stream.of(
                argumentSet("nothing at all", text(200, ""), "vault-bad-answer"),
                argumentSet("no JSON", text(200, "<html>"), "vault-bad-answer"),
                argumentSet("a list", json(200, List.of(1)), "vault-bad-answer"),
                argumentSet("data of another shape", json(200, Map.of("data", "x")), "vault-bad-answer"),
                argumentSet(
                        "text that is no certificate",
                        json(200, Map.of("data", Map.of("certificate", "x"))),
                        "vault-bad-answer"),
                argumentSet("more than can be read", text(200, " ".repeat(2 << 20)), "vault-bad-answer"),
                argumentSet("a deep nest", text(200, "[".repeat(100_000)), "vault-bad-answer"),
                argumentSet("a redirect", json(307, Map.of()), "vault-redirects"),
                argumentSet("a rate limit", error(429, "request path \"x\": rate limit quota exceeded"), "vault-busy"),
                argumentSet("an internal error", error(500, "1 error occurred:\n\t* disk full\n\n"), "vault-failing"),
                argumentSet("sealed in between", error(503, "Vault is sealed"), "vault-sealed"),
                argumentSet(
                        "a policy that does not allow it",
                        error(403, "1 error occurred:\n\t* permission denied\n\n"),
                        "vault-denied"),
                argumentSet("no such mount", error(404, "no handler for route"), "vault-mount-missing"),
                argumentSet(
                        "no issuer",
                        error(
                                500,
                                "could not fetch the CA certificate (was one set?): no default issuer currently configured"),
                        "vault-no-issuer"),
                argumentSet(
                        "settings refused",
                        error(400, "cannot satisfy request, as TTL would result in notAfter"),
                        "vault-refused"));
    }

    @ParameterizedTest
    @MethodSource("hostileAnswers")
    void whenTheAnswerToSigningIs(Function<Call, Reply> answer, String want) {
        vault.on(SIGN, answer);
        try (var authority = start(token())) {
            time.settle();
            var problem = authority.health().problem().orElseThrow();
            assertThat(problem.code()).isEqualTo(want);
            assertThat(problem.fix()).isNotEmpty();
            assertThat(problem.message()).doesNotContain("\n", "hvs.secret").hasSizeLessThan(1000);
            vault.signWith(root);
            time.advance(Duration.ofSeconds(2));
            assertThat(authority.health().state()).isEqualTo(State.READY);
        }
    }

    @Test
    void whenVaultSignsAnotherKey_thenItIsRefused() {
        vault.on(SIGN, _ -> {
            var other = root.below("other", 0, START.minusSeconds(60), START.plusSeconds(600))
                    .certificate();
            return Reply.of(
                    200,
                    Map.of(
                            "data",
                            Map.of("certificate", Pem.encode(other), "issuing_ca", Pem.encode(root.certificate()))));
        });
        try (var authority = start(token())) {
            time.settle();
            assertThat(authority.health().problem().orElseThrow().code()).isEqualTo("vault-wrong-key");
            assertThat(authority.roots()).isEmpty();
        }
    }

    @Test
    void givenAnIssuerNearItsEnd_whenRenewalGainsNothing_thenTheOldOneStaysAndTheAlarmNamesTheIssuer() {
        var ending = TestCa.root("ending", START.minusSeconds(60), START.plus(Duration.ofHours(6)));
        vault.signWith(ending);
        try (var authority = start(token())) {
            time.settle();
            var first = authority.material();
            time.advance(Duration.ofHours(4));
            assertThat(authority.material()).isEqualTo(first);
            assertThat(authority.health().problem().orElseThrow().code()).isEqualTo("vault-issuer-ending");

            var fresh = TestCa.root("fresh", START.minusSeconds(60), START.plus(Duration.ofDays(6)));
            vault.signWith(fresh);
            time.advance(Duration.ofMinutes(1));
            assertThat(authority.health().state()).isEqualTo(State.READY);
            assertThat(authority.roots()).containsExactly(ending.certificate(), fresh.certificate());
            assertThat(authority.material()).isEqualTo(first);
            time.advance(Duration.ofMinutes(5));
            assertThat(authority.material().roots()).containsExactly(fresh.certificate());
            assertThat(authority.roots()).containsExactly(fresh.certificate(), ending.certificate());
            time.advance(Duration.ofHours(2));
            assertThat(authority.roots()).containsExactly(fresh.certificate());
        }
    }

    @Test
    void givenANamespaceAndNames_thenTheyAreSent() {
        vault.signWith(root);
        var server = VaultServer.at(vault.address()).withNamespace("team-a");
        try (var authority = start(token(), server, TTL, RenewalPolicy.DEFAULT)) {
            time.settle();
            assertThat(authority.health().state()).isEqualTo(State.READY);
        }
        var sent = vault.calls.getLast();
        assertThat(sent.path()).isEqualTo(SIGN);
        assertThat(sent.namespace()).isEqualTo("team-a");
        assertThat(sent.token()).isEqualTo("hvs.secret");
        assertThat(sent.body().path("ttl").asText()).isEqualTo("36000s");
        assertThat(sent.body().path("uri_sans").get(0).asText()).isEqualTo("spiffe://cluster.local");
        assertThat(sent.body().path("max_path_length").asInt(-1)).isZero();
        assertThat(sent.body().toString()).doesNotContain("PRIVATE");
    }

    @Test
    void givenARenewableToken_thenItIsRenewedBetweenTheIntermediates() {
        vault.signWith(root);
        vault.on("auth/token/lookup-self", _ -> Reply.of(200, Map.of("data", Map.of("ttl", 600, "renewable", true))));
        vault.on("auth/token/renew-self", _ -> Reply.of(200, auth("hvs.secret", 3600)));
        try (var authority = start(token())) {
            time.advance(Duration.ofMinutes(7));
            assertThat(vault.count("auth/token/renew-self")).isEqualTo(1);
            time.advance(Duration.ofMinutes(41));
            assertThat(vault.count("auth/token/renew-self")).isEqualTo(2);
            assertThat(authority.health().state()).isEqualTo(State.READY);
        }
    }

    @Test
    void givenATokenThatVaultDoesNotProlong_thenThatIsToldBeforeItEndsAndANewFileHeals() throws IOException {
        vault.signWith(root);
        var file = Files.writeString(directory.resolve("token"), "hvs.first\n");
        vault.on(
                "auth/token/lookup-self",
                call -> call.token().equals("hvs.first")
                        ? Reply.of(200, Map.of("data", Map.of("ttl", 3600, "renewable", false)))
                        : Reply.of(200, Map.of("data", Map.of("ttl", 0))));
        try (var authority = start(new VaultLogin.TokenFile(file))) {
            time.advance(Duration.ofMinutes(30));
            assertThat(authority.health().state()).isEqualTo(State.READY);
            time.advance(Duration.ofMinutes(12));
            var problem = authority.health().problem().orElseThrow();
            assertThat(problem.code()).isEqualTo("vault-token-ending");
            assertThat(problem.message())
                    .contains(file.toString(), START.plusSeconds(3600).toString());

            Files.writeString(file, "hvs.second");
            time.advance(Duration.ofMinutes(1));
            assertThat(authority.health().state()).isEqualTo(State.READY);
            assertThat(vault.calls.getLast().token()).isIn("", "hvs.second");

            Files.delete(file);
            time.advance(Duration.ofMinutes(1));
            assertThat(authority.health().problem().orElseThrow().code()).isEqualTo("vault-token-file");
            assertThat(authority.health().state()).isEqualTo(State.DEGRADED);
        }
    }

    @Test
    void givenARejectedToken_thenTheProblemSaysSo() {
        vault.on(
                "auth/token/lookup-self",
                _ -> Reply.error(403, "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n"));
        try (var authority = start(token())) {
            time.settle();
            assertThat(authority.health().problem().orElseThrow().code()).isEqualTo("vault-token-rejected");
        }
    }

    @Test
    void givenATokenThatMayNotAskAboutItself_thenItIsUsedAllTheSame() {
        vault.signWith(root);
        vault.on("auth/token/lookup-self", _ -> Reply.error(403, "1 error occurred:\n\t* permission denied\n\n"));
        try (var authority = start(token())) {
            time.settle();
            assertThat(authority.health().state()).isEqualTo(State.READY);
        }
    }

    @Test
    void givenKubernetes_thenTheServiceAccountIsExchangedAndTheTokenRenewedUntilItsEndAndThenAnotherOneFetched()
            throws IOException {
        var logins = new AtomicInteger();
        var jwt = Files.writeString(directory.resolve("jwt"), "header.first.signature");
        vault.signWith(root);
        vault.on("auth/k8s/login", call -> {
            assertThat(call.token()).isEmpty();
            assertThat(call.body().path("role").asText()).isEqualTo("fathomd");
            return Reply.of(200, auth("hvs.k8s-" + logins.incrementAndGet(), 3600));
        });
        var renewals = new AtomicInteger();
        vault.on(
                "auth/token/renew-self",
                call -> Reply.of(200, auth(call.token(), renewals.incrementAndGet() < 3 ? 3600 : 900)));
        try (var authority = start(new VaultLogin.Kubernetes("k8s", "fathomd", jwt))) {
            while (renewals.get() < 3) { // after about 40, 80 and 120 minutes, the last time for little
                time.advance(Duration.ofMinutes(1));
            }
            assertThat(time.instant()).isAfter(START.plus(Duration.ofMinutes(110)));
            assertThat(logins).hasValue(1);
            Files.writeString(jwt, "header.second.signature");
            time.advance(Duration.ofMinutes(10));
            assertThat(logins).hasValue(2);
            assertThat(vault.calls.stream()
                            .filter(call -> call.path().equals("auth/k8s/login"))
                            .map(call -> call.body().path("jwt").asText()))
                    .containsExactly("header.first.signature", "header.second.signature");
            assertThat(authority.status().failures()).isZero();
        }
    }

    @Test
    void givenKubernetes_whenTheTokenIsRevoked_thenAnotherOneIsFetchedWithinTheSameRound() throws IOException {
        var logins = new AtomicInteger();
        var jwt = Files.writeString(directory.resolve("jwt"), "a.b.c");
        vault.on("auth/k8s/login", _ -> Reply.of(200, auth("hvs.k8s-" + logins.incrementAndGet(), 86400)));
        vault.on(
                SIGN,
                call -> call.token().equals("hvs.k8s-" + logins.get()) && logins.get() != 1
                        ? vault.signed(root, call)
                        : Reply.error(403, "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n"));
        try (var authority = start(new VaultLogin.Kubernetes("k8s", "fathomd", jwt))) {
            time.settle();
            assertThat(authority.health().state()).isEqualTo(State.READY);
            assertThat(logins).hasValue(2);
        }
    }

    static Stream<Arguments> refusedLogins() {
        return Stream.of(
                argumentSet("no such role", error(400, "invalid role name \"fathomd\""), "vault-role-missing"),
                argumentSet(
                        "another service account",
                        error(403, "service account name not authorized"),
                        "vault-login-refused"),
                argumentSet("no such auth method", error(403, "permission denied"), "vault-login-refused"),
                argumentSet(
                        "API server gone", error(500, "Post \"https://kube\": connection refused"), "vault-failing"));
    }

    @ParameterizedTest
    @MethodSource("refusedLogins")
    void whenTheLoginIsRefused(Function<Call, Reply> answer, String want) throws IOException {
        var jwt = Files.writeString(directory.resolve("jwt"), "header.payload.signature");
        vault.on("auth/kubernetes/login", answer);
        try (var authority = start(new VaultLogin.Kubernetes("kubernetes", "fathomd", jwt))) {
            time.settle();
            var problem = authority.health().problem().orElseThrow();
            assertThat(problem.code()).isEqualTo(want);
            assertThat(problem.toString()).doesNotContain("header.payload.signature");
        }
    }

    @Test
    void whenClosed_thenNothingHappensAnyMoreAndTheMaterialStays() {
        vault.signWith(root);
        var authority = start(token());
        time.settle();
        authority.close();
        var calls = vault.calls.size();
        time.advance(Duration.ofHours(1));
        assertThat(vault.calls).hasSize(calls);
        assertThat(authority.material().chain()).hasSize(1);
        assertThat(time.nextAppointment()).isEmpty();
    }

    @Test
    void givenASubscriberThatFails_thenTheOthersAreStillTold() {
        vault.signWith(root);
        try (var authority = VaultAuthority.start(
                config(token(), VaultServer.at(vault.address()), TTL, RenewalPolicy.DEFAULT),
                time,
                new SplittableRandom(1))) {
            authority.subscribe(() -> {
                throw new IllegalStateException("mine");
            });
            authority.subscribe(changes::incrementAndGet);
            time.settle();
            assertThat(changes).hasValue(1);
            assertThat(authority.health().state()).isEqualTo(State.READY);
        }
    }

    private VaultAuthority start(VaultLogin login) {
        return start(login, VaultServer.at(vault.address()), TTL, RenewalPolicy.DEFAULT);
    }

    private VaultAuthority start(VaultLogin login, VaultServer server, Duration ttl, RenewalPolicy policy) {
        var authority = VaultAuthority.start(config(login, server, ttl, policy), time, new SplittableRandom(1));
        authority.subscribe(changes::incrementAndGet);
        return authority;
    }

    private static VaultConfig config(VaultLogin login, VaultServer server, Duration ttl, RenewalPolicy policy) {
        return new VaultConfig(
                server, login, IntermediateProfile.of("pki", "cluster.local").withTtl(ttl), policy);
    }

    private static VaultLogin token() {
        return new VaultLogin.Token(new Secret("hvs.secret"));
    }

    private static Map<String, Object> auth(String token, int seconds) {
        return Map.of("auth", Map.of("client_token", token, "lease_duration", seconds, "renewable", true));
    }

    private static Function<Call, Reply> text(int status, String body) {
        return _ -> new Reply(status, body);
    }

    private static Function<Call, Reply> json(int status, Object body) {
        return _ -> Reply.of(status, body);
    }

    private static Function<Call, Reply> error(int status, String... errors) {
        return _ -> Reply.error(status, errors);
    }
}
