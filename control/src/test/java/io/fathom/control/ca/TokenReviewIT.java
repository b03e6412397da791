// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.control.ca.CallerAuthenticator.Attempt;
import io.fathom.control.ca.jwt.IssuerKeys;
import io.fathom.control.ca.jwt.JsonWebKey;
import io.fathom.control.ca.jwt.JwtVerifier;
import io.fathom.control.ca.vault.LocalKube;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeSettings;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tokens that a real API server makes and reviews.
@Tag("slow")
class TokenReviewIT {
    private static final TrustDomains TRUST_DOMAINS = TrustDomains.of("cluster.local");

    @TempDir
    private static Path folder;

    @AutoClose
    private static LocalKube kube;

    private static String uid;
    private static CallerAuthenticator authenticator;

    @BeforeAll
    static void start() {
        kube = LocalKube.start(folder.resolve("kube"));
        kube.createAccount("istio-system", "ztunnel");
        uid = kube.createPod("istio-system", "ztunnel-a", "ztunnel", "node-a");
        var client = new TokenReviewClient(new KubeClient(kube.config(), KubeSettings.DEFAULT));
        authenticator = new TokenReviewAuthenticator(
                _ -> Optional.of(new TokenReviewAuthenticator.Reviewed("", client)),
                List.of("istio-ca"),
                () -> TRUST_DOMAINS);
    }

    @Test
    void givenAProjectedToken_thenTheCallerAndItsPodAreKnown() {
        var attempt = authenticate(kube.podToken("istio-system", "ztunnel", "ztunnel-a", uid, "istio-ca"));
        var caller = ((Attempt.Authenticated) attempt).caller();
        assertThat(caller.identities()).containsExactly(new Identity("cluster.local", "istio-system", "ztunnel"));
        assertThat(caller.pod())
                .contains(new Caller.BoundPod("", "istio-system", "ztunnel", "ztunnel-a", uid, Optional.of("node-a")));
    }

    @Test
    void givenATokenForAnotherAudienceOrAStranger_thenItIsRefused() {
        assertThat(authenticate(kube.podToken("istio-system", "ztunnel", "ztunnel-a", uid, "other")))
                .isInstanceOf(Attempt.Rejected.class);
        assertThat(authenticate("made-up")).isInstanceOf(Attempt.Rejected.class);
        assertThat(authenticate(kube.adminToken())).isInstanceOf(Attempt.Rejected.class);
    }

    @Test
    void givenTheTokenOfADeletedPod_whenReplayed_thenItIsRefused() {
        var other = kube.createPod("istio-system", "ztunnel-b", "ztunnel", "node-b");
        var token = kube.podToken("istio-system", "ztunnel", "ztunnel-b", other, "istio-ca");
        assertThat(authenticate(token)).isInstanceOf(Attempt.Authenticated.class);
        kube.deletePod("istio-system", "ztunnel-b");
        // the API server remembers its answers for some seconds
        await().atMost(Duration.ofMinutes(1)).until(() -> authenticate(token) instanceof Attempt.Rejected);
    }

    @Test
    void givenTheKeysOfTheApiServer_thenItsTokensVerifyWithoutAskingIt() throws Exception {
        var request = HttpRequest.newBuilder(kube.address().resolve("/openid/v1/jwks"))
                .header("authorization", "Bearer " + kube.adminToken())
                .build();
        var keys = JsonWebKey.parseSet(
                kube.http().send(request, BodyHandlers.ofString()).body());
        var verifier = new JwtVerifier("https://kubernetes.default.svc", Set.of("istio-ca"), IssuerKeys.fixed(keys));
        var jwt = new JwtAuthenticator(verifier, Optional::of, () -> TRUST_DOMAINS, InstantSource.system());
        var token = kube.podToken("istio-system", "ztunnel", "ztunnel-a", uid, "istio-ca");
        var attempt = (Attempt.Authenticated) jwt.authenticate(TestCredentials.token(token));
        assertThat(attempt.caller().pod().flatMap(Caller.BoundPod::node)).contains("node-a");
    }

    private static Attempt authenticate(String token) {
        return authenticator.authenticate(TestCredentials.token(token));
    }
}
