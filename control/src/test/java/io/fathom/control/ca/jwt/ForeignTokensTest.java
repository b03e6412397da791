// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Tokens that OpenSSL signed, see `jwt/make-tokens`.
class ForeignTokensTest {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final JsonNode FILE = file();

    private static JsonNode file() {
        try (var in = ForeignTokensTest.class.getResourceAsStream("/jwt/tokens.json")) {
            return Json.parse(Objects.requireNonNull(in).readAllBytes()).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<Arguments> tokens() {
        return FILE.path("tokens")
                .valueStream()
                .map(entry -> argumentSet(
                        entry.path("algorithm").asText() + " by "
                                + entry.path("key").asText(),
                        entry.path("algorithm").asText(),
                        entry.path("token").asText()));
    }

    @ParameterizedTest
    @MethodSource("tokens")
    void givenATokenOfAnyAlgorithm_thenItVerifies_andNotWithAnotherSignature(String algorithm, String token) {
        var keySet = FILE.path("keySet").toString();
        assertThat(outcome(keySet, token)).isEqualTo("somebody");
        var last = token.lastIndexOf('.') + 1;
        var flipped = token.charAt(last) == 'A' ? 'B' : 'A';
        assertThat(outcome(keySet, token.substring(0, last) + flipped + token.substring(last + 1)))
                .isEqualTo("token-bad-signature");
    }

    @ParameterizedTest
    @MethodSource("tokens")
    void givenAKeySetThatNamesTheAlgorithms_thenOnlyThoseVerify(String algorithm, String token) {
        assertThat(outcome(keySetFor(algorithm), token)).isEqualTo("somebody");
        assertThat(outcome(keySetFor("RSA-OAEP"), token)).isEqualTo("token-unknown-key");
        if (algorithm.startsWith("PS")) {
            assertThat(outcome(keySetFor(algorithm.replace("PS", "RS")), token)).isEqualTo("token-unknown-key");
        }
    }

    private static String keySetFor(String algorithm) {
        var set = FILE.path("keySet").deepCopy();
        set.path("keys").forEach(key -> ((ObjectNode) key).put("alg", algorithm));
        return set.toString();
    }

    private static String outcome(String keySet, String token) {
        var verifier =
                new JwtVerifier("https://issuer", Set.of("istio-ca"), IssuerKeys.fixed(JsonWebKey.parseSet(keySet)));
        try {
            return verifier.verify(token, NOW).subject();
        } catch (ProblemException e) {
            return e.problem().code();
        }
    }
}
