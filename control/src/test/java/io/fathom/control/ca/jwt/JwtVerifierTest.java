// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.KeyAlgorithm;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class JwtVerifierTest {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final String ISSUER = "https://issuer";
    private static final KeyPair RSA = KeyAlgorithm.RSA2048.generate();
    private static final KeyPair CURVE = KeyAlgorithm.P256.generate();
    private static final KeyPair STRANGER = KeyAlgorithm.P256.generate();
    private static final List<JsonWebKey> KEYS = List.of(
            new JsonWebKey(Optional.of("r"), Set.of(SignatureAlgorithm.RS256), RSA.getPublic()),
            new JsonWebKey(Optional.of("e"), Set.of(SignatureAlgorithm.ES256), CURVE.getPublic()));
    private static final JwtVerifier VERIFIER =
            new JwtVerifier(ISSUER, Set.of("istio-ca", "other"), IssuerKeys.fixed(KEYS));
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    static Stream<Arguments> tokens() throws Exception {
        var good = token("ES256", "e", CURVE, claims -> {});
        var parts = good.split("\\.", -1);
        var hmac = Mac.getInstance("HmacSHA256");
        hmac.init(new SecretKeySpec(RSA.getPublic().getEncoded(), "HmacSHA256"));
        var hmacInput = part("{\"alg\":\"HS256\",\"kid\":\"r\"}") + "." + parts[1];
        return Stream.of(
                argumentSet("ES256", good, "ok"),
                argumentSet("RS256", token("RS256", "r", RSA, claims -> {}), "ok"),
                argumentSet("no key id", token("ES256", "", CURVE, claims -> {}), "ok"),
                argumentSet("one audience as text", token("ES256", "e", CURVE, c -> c.put("aud", "other")), "ok"),
                argumentSet("no start", token("ES256", "e", CURVE, c -> c.remove(List.of("nbf", "iat"))), "ok"),
                argumentSet("a clock ahead", token("ES256", "e", CURVE, c -> c.put("nbf", at(50))), "ok"),
                argumentSet("expired", token("ES256", "e", CURVE, c -> c.put("exp", at(-1))), "token-expired"),
                argumentSet("ending now", token("ES256", "e", CURVE, c -> c.put("exp", at(0))), "token-expired"),
                argumentSet("endless", token("ES256", "e", CURVE, c -> c.remove("exp")), "token-malformed"),
                argumentSet("end as text", token("ES256", "e", CURVE, c -> c.put("exp", "never")), "token-malformed"),
                argumentSet(
                        "in the future", token("ES256", "e", CURVE, c -> c.put("nbf", at(600))), "token-not-yet-valid"),
                argumentSet(
                        "another issuer",
                        token("ES256", "e", CURVE, c -> c.put("iss", "https://x")),
                        "token-wrong-issuer"),
                argumentSet("no issuer", token("ES256", "e", CURVE, c -> c.remove("iss")), "token-wrong-issuer"),
                argumentSet(
                        "another audience",
                        token("ES256", "e", CURVE, c -> c.put("aud", "api")),
                        "token-wrong-audience"),
                argumentSet("no audience", token("ES256", "e", CURVE, c -> c.remove("aud")), "token-wrong-audience"),
                argumentSet("an unknown key", token("ES256", "x", CURVE, c -> {}), "token-unknown-key"),
                argumentSet("a stranger's signature", token("ES256", "e", STRANGER, c -> {}), "token-bad-signature"),
                argumentSet(
                        "the wrong algorithm for the key", token("ES256", "r", CURVE, c -> {}), "token-unknown-key"),
                argumentSet("alg none", part("{\"alg\":\"none\"}") + "." + parts[1] + ".", "token-bad-algorithm"),
                argumentSet(
                        "a public key used as a secret",
                        hmacInput + "."
                                + BASE64.encodeToString(hmac.doFinal(hmacInput.getBytes(StandardCharsets.US_ASCII))),
                        "token-bad-algorithm"),
                argumentSet(
                        "critical extensions",
                        part("{\"alg\":\"ES256\",\"kid\":\"e\",\"crit\":[\"x\"]}") + "." + parts[1] + "." + parts[2],
                        "token-bad-algorithm"),
                argumentSet(
                        "changed claims",
                        parts[0] + "." + part("{\"iss\":\"https://issuer\",\"exp\":9999999999}") + "." + parts[2],
                        "token-bad-signature"),
                argumentSet(
                        "the same claim twice",
                        parts[0] + "." + part("{\"iss\":\"https://issuer\",\"iss\":\"x\"}") + "." + parts[2],
                        "token-malformed"),
                argumentSet("an empty signature", parts[0] + "." + parts[1] + ".", "token-bad-signature"),
                argumentSet("two parts", parts[0] + "." + parts[1], "token-malformed"),
                argumentSet("four parts", good + ".x", "token-malformed"),
                argumentSet("no base64", "!." + parts[1] + "." + parts[2], "token-malformed"),
                argumentSet("no object", part("[]") + "." + parts[1] + "." + parts[2], "token-malformed"),
                argumentSet("nothing", "", "token-malformed"),
                argumentSet("a very long one", "a".repeat(20_000) + ".b.c", "token-malformed"));
    }

    @ParameterizedTest
    @MethodSource("tokens")
    void whenVerified(String token, String want) {
        assertThat(codeOf(token)).isEqualTo(want);
    }

    @Test
    void givenClaimsOfKubernetes_thenThePodIsRead() {
        var token = VERIFIER.verify(
                token("ES256", "e", CURVE, claims -> {
                    var bound = claims.putObject("kubernetes.io").put("namespace", "istio-system");
                    bound.putObject("serviceaccount").put("name", "ztunnel");
                    bound.putObject("pod").put("name", "ztunnel-a").put("uid", "uid-a");
                    bound.putObject("node").put("name", "node-a");
                }),
                NOW);
        assertThat(token.account()).contains(new ServiceAccountName("istio-system", "ztunnel"));
        assertThat(token.pod()).contains(new VerifiedToken.TokenPod("ztunnel-a", "uid-a", Optional.of("node-a")));
    }

    @Test
    void givenClaimsOfAnotherAccountThanTheSubject_thenNoPodIsBelieved() {
        var token = VERIFIER.verify(
                token("ES256", "e", CURVE, claims -> {
                    var bound = claims.putObject("kubernetes.io").put("namespace", "istio-system");
                    bound.putObject("serviceaccount").put("name", "other");
                    bound.putObject("pod").put("name", "ztunnel-a").put("uid", "uid-a");
                }),
                NOW);
        assertThat(token.pod()).isEmpty();
    }

    @Test
    void givenALocalIssuer_thenItsTokensVerifyWithItsPublishedKeySet() {
        var issuer = LocalIssuer.create();
        var binding = new LocalIssuer.Binding(
                new ServiceAccountName("default", "payments"), "payments-1", "uid-1", "node-a", List.of("istio-ca"));
        var verifier = new JwtVerifier(
                LocalIssuer.NAME, Set.of("istio-ca"), IssuerKeys.fixed(JsonWebKey.parseSet(issuer.keySet())));
        var token = verifier.verify(issuer.token(binding, Duration.ofHours(1), NOW), NOW);
        assertThat(token.account()).contains(binding.account());
        assertThat(token.pod()).contains(new VerifiedToken.TokenPod("payments-1", "uid-1", Optional.of("node-a")));
        assertThat(token.expires()).isEqualTo(NOW.plusSeconds(3600));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void whenASubjectIsRead(String subject, Optional<ServiceAccountName> want) {
        assertThat(ServiceAccountName.parse(subject)).isEqualTo(want);
    }

    static Stream<Arguments> subjects() {
        return Stream.of(
                argumentSet(
                        "an account",
                        "system:serviceaccount:default:payments",
                        Optional.of(new ServiceAccountName("default", "payments"))),
                argumentSet("a user", "alice", Optional.empty()),
                argumentSet("too short", "system:serviceaccount:default", Optional.empty()),
                argumentSet("too long", "system:serviceaccount:default:payments:x", Optional.empty()),
                argumentSet("an empty namespace", "system:serviceaccount::payments", Optional.empty()),
                argumentSet(
                        "a path hidden in a name", "system:serviceaccount:default/sa/x:payments", Optional.empty()));
    }

    private static String codeOf(String token) {
        try {
            VERIFIER.verify(token, NOW);
            return "ok";
        } catch (ProblemException e) {
            assertThat(e.getMessage()).doesNotContain(token.isEmpty() ? "\0" : token);
            return e.problem().code();
        }
    }

    private static String token(String algorithm, String keyId, KeyPair keys, Consumer<ObjectNode> change) {
        var header = Json.object().put("alg", algorithm);
        if (!keyId.isEmpty()) {
            header.put("kid", keyId);
        }
        var claims = Json.object()
                .put("iss", ISSUER)
                .put("sub", "system:serviceaccount:istio-system:ztunnel")
                .put("exp", at(3600))
                .put("iat", at(0))
                .put("nbf", at(0));
        claims.putArray("aud").add("istio-ca");
        change.accept(claims);
        var signed = BASE64.encodeToString(Json.bytes(header)) + "." + BASE64.encodeToString(Json.bytes(claims));
        try {
            var signature =
                    Signature.getInstance(algorithm.equals("RS256") ? "SHA256withRSA" : "SHA256withECDSAinP1363Format");
            signature.initSign(keys.getPrivate());
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + BASE64.encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static long at(long seconds) {
        return NOW.plusSeconds(seconds).getEpochSecond();
    }

    private static String part(String json) {
        return BASE64.encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }
}
