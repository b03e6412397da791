// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.testkit.ManualTimeline;
import io.fathom.control.ca.AuthorityHealth.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Logs in to a real Vault with tokens of a real API server, which Vault has reviewed there.
@Tag("slow")
final class KubernetesLoginIT {
    private static final String NAMESPACE = "istio-system";

    @TempDir
    private static Path directory;

    private static LocalVault vault;
    private static LocalKube kube;

    @BeforeAll
    static void start() {
        vault = LocalVault.start(directory.resolve("vault"));
        kube = LocalKube.start(directory.resolve("kube"));
        kube.createAccount(NAMESPACE, "fathomd");
        kube.createAccount(NAMESPACE, "stranger");
        kube.createAccount(NAMESPACE, "reviewer");
        vault.root("POST", "sys/auth/kubernetes", Map.of("type", "kubernetes"));
        vault.root(
                "POST",
                "auth/kubernetes/config",
                Map.of(
                        "kubernetes_host", kube.address().toString(),
                        "kubernetes_ca_cert", kube.caPem(),
                        "token_reviewer_jwt",
                                kube.token(NAMESPACE, "reviewer", List.of()).reveal()));
        vault.root("PUT", "sys/policies/acl/fathomd", Map.of("policy", """
                path "pki/root/sign-intermediate" { capabilities = ["create", "update"] }
                """));
        vault.root(
                "POST",
                "auth/kubernetes/role/fathomd",
                Map.of(
                        "bound_service_account_names", "fathomd",
                        "bound_service_account_namespaces", NAMESPACE,
                        "audience", "vault",
                        "token_policies", "fathomd",
                        "token_ttl", "20m",
                        "token_max_ttl", "1h"));
    }

    @AfterAll
    static void stop() {
        if (kube != null) {
            kube.close();
        }
        if (vault != null) {
            vault.close();
        }
    }

    @Test
    void givenABoundAccount_thenTheIntermediateIsThereAndTheTokenIsKeptAlive() throws IOException {
        var time = new ManualTimeline(InstantSource.system().instant());
        try (var authority = start("fathomd", token("fathomd", "vault"), time)) {
            time.settle();
            assertThat(authority.health().problem()).isEmpty();
            var begun = time.instant();
            time.advance(Duration.ofHours(3));
            assertThat(authority.status().failures()).isZero();
            assertThat(authority.status().lastContact().orElseThrow())
                    .as("the token of 20 minutes was renewed all the time")
                    .isAfter(begun.plus(Duration.ofMinutes(160)));
        }
    }

    @Test
    void givenAnotherAccount_thenTheProblemSaysWhatToCheck() throws IOException {
        expect("fathomd", token("stranger", "vault"), "vault-login-refused");
    }

    @Test
    void givenAnotherAudience_thenTheProblemSaysWhatToCheck() throws IOException {
        expect("fathomd", token("fathomd", "elsewhere"), "vault-login-refused");
    }

    @Test
    void givenATokenThatIsNone_thenTheProblemSaysWhatToCheck() throws IOException {
        expect("fathomd", Files.writeString(directory.resolve("garbage"), "not.a.token"), "vault-login-refused");
    }

    @Test
    void givenAnUnknownRole_thenTheProblemNamesIt() throws IOException {
        expect("nobody", token("fathomd", "vault"), "vault-role-missing");
    }

    @Test
    void whenTheAccountIsDeleted_thenTheIntermediateGoesOnAndTheStateTells() throws IOException {
        kube.createAccount(NAMESPACE, "passing");
        vault.root(
                "POST",
                "auth/kubernetes/role/passing",
                Map.of(
                        "bound_service_account_names", "passing",
                        "bound_service_account_namespaces", NAMESPACE,
                        "audience", "vault",
                        "token_policies", "fathomd",
                        "token_type", "batch", // cannot be renewed: every time another login
                        "token_ttl", "20m"));
        var time = new ManualTimeline(InstantSource.system().instant());
        var jwt = token("passing", "vault");
        try (var authority = start("passing", jwt, time)) {
            time.settle();
            var first = authority.material();
            time.advance(Duration.ofMinutes(15));
            assertThat(authority.health().problem()).isEmpty();
            kube.deleteAccount(NAMESPACE, "passing");
            var old = new Secret(Files.readString(jwt));
            await().atMost(Duration.ofSeconds(60)).until(() -> !kube.accepts(old, "vault"));
            time.advance(Duration.ofMinutes(15));
            assertThat(authority.health().state()).isEqualTo(State.DEGRADED);
            assertThat(authority.health().problem().orElseThrow().code()).isEqualTo("vault-login-refused");
            assertThat(authority.material()).isEqualTo(first);
        }
    }

    private static void expect(String role, Path jwt, String code) {
        var time = new ManualTimeline(InstantSource.system().instant());
        try (var authority = start(role, jwt, time)) {
            time.settle();
            assertThat(authority.health().state()).isEqualTo(State.DOWN);
            var problem = authority.health().problem().orElseThrow();
            assertThat(problem.code()).isEqualTo(code);
            assertThat(problem.toString()).contains(role);
        }
    }

    private static Path token(String account, String audience) throws IOException {
        var text = kube.token(NAMESPACE, account, List.of(audience)).reveal();
        return Files.writeString(directory.resolve(account + "-" + audience), text);
    }

    private static VaultAuthority start(String role, Path jwt, ManualTimeline time) {
        // Not renewed in these tests: Vault goes by the real time and would give nothing better.
        var profile = IntermediateProfile.of("pki", "cluster.local").withTtl(Duration.ofHours(24));
        return VaultAuthority.start(
                new VaultConfig(
                        VaultServer.at(vault.address()), new VaultLogin.Kubernetes("kubernetes", role, jwt), profile),
                time,
                new SplittableRandom(1));
    }
}
