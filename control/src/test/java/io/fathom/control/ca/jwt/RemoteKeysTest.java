// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fathom.base.lang.ProblemException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteKeysTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-15T12:00:00Z"));
    private final InstantSource clock = now::get;
    private final Map<String, String> documents = new ConcurrentHashMap<>();
    private final AtomicInteger fetches = new AtomicInteger();
    private HttpServer server;

    @TempDir
    Path folder;

    @BeforeEach
    void serve() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            fetches.incrementAndGet();
            var document = documents.get(exchange.getRequestURI().getPath());
            var bytes = (document == null ? "" : document).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(document == null ? 404 : 200, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String address(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    @Test
    void givenAKeyThatIsNotKnown_thenTheKeysAreFetchedAgainButNotForEveryToken() {
        var first = LocalIssuer.create();
        var second = LocalIssuer.create();
        documents.put("/keys", first.keySet());
        var rule = JwtRule.parse("{\"issuer\":\"https://issuer\",\"jwks_uri\":\"" + address("/keys") + "\"}");
        try (var keys = new RemoteKeys(rule, clock)) {
            assertThat(keys.find(id(first))).hasSize(1);
            assertThat(keys.find(id(first))).hasSize(1);
            assertThat(fetches).hasValue(1);

            documents.put("/keys", second.keySet());
            assertThat(keys.find(id(second))).isEmpty();
            assertThat(keys.find(Optional.of("made-up"))).isEmpty();
            assertThat(fetches).hasValue(1);

            now.updateAndGet(time -> time.plus(Duration.ofSeconds(11)));
            assertThat(keys.find(id(second))).hasSize(1);
            assertThat(fetches).hasValue(2);
        }
    }

    @Test
    void givenAnIssuerThatStopsAnswering_thenTheKnownKeysStay() {
        var issuer = LocalIssuer.create();
        documents.put("/keys", issuer.keySet());
        var rule = JwtRule.parse("{\"issuer\":\"https://issuer\",\"jwks_uri\":\"" + address("/keys") + "\"}");
        try (var keys = new RemoteKeys(rule, clock)) {
            assertThat(keys.find(id(issuer))).hasSize(1);
            documents.clear();
            now.updateAndGet(time -> time.plus(Duration.ofHours(1)));
            assertThat(keys.find(id(issuer))).hasSize(1);
            assertThat(fetches).hasValue(2);
        }
    }

    @Test
    void givenNoAddressOfKeys_thenTheDiscoveryDocumentTells() {
        var issuer = LocalIssuer.create();
        documents.put("/.well-known/openid-configuration", "{\"jwks_uri\":\"" + address("/k") + "\"}");
        documents.put("/k", issuer.keySet());
        try (var keys = new RemoteKeys(JwtRule.parse("{\"issuer\":\"" + address("/") + "\"}"), clock)) {
            assertThat(keys.find(id(issuer))).hasSize(1);
        }
    }

    @Test
    void givenAFile_thenItIsRead() throws Exception {
        var issuer = LocalIssuer.create();
        var file = Files.writeString(folder.resolve("keys.json"), issuer.keySet());
        var rule = JwtRule.parse("{\"issuer\":\"https://issuer\",\"jwksUri\":\"" + file.toUri() + "\"}");
        try (var keys = new RemoteKeys(rule, clock)) {
            assertThat(keys.find(Optional.empty())).hasSize(1);
        }
    }

    @Test
    void givenNoKeysAtAll_thenTheProblemSaysSo() {
        var rule = JwtRule.parse("{\"issuer\":\"https://issuer\",\"jwks_uri\":\"" + address("/none") + "\"}");
        try (var keys = new RemoteKeys(rule, clock)) {
            assertThatThrownBy(() -> keys.find(Optional.empty()))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("https://issuer");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"keys\":[]}",
                "{\"keys\":[{\"kty\":\"oct\",\"k\":\"c2VjcmV0\"}]}",
                "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}",
                "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"secp256k1\",\"x\":\"AA\",\"y\":\"AA\"}]}",
                "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"AA\"}]}",
                "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AA\"}]}",
                "{\"keys\":[{\"kty\":\"RSA\",\"use\":\"enc\",\"n\":\"!\",\"e\":\"AQAB\"}]}"
            })
    void givenKeysOfOtherKinds_thenTheyAreSkipped(String set) {
        assertThat(JsonWebKey.parseSet(set)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "[]", "{}", "{\"issuer\":7}", "{\"issuer\":\"i\",\"jwks_uri\":\"a b\"}"})
    void givenARuleThatCannotBeUsed_thenTheProblemNamesTheSetting(String rule) {
        assertThatThrownBy(() -> JwtRule.parse(rule))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("JWT_RULE");
    }

    @Test
    void givenARule_thenAllOfItIsRead() {
        var rule = JwtRule.parse("{\"issuer\":\"i\",\"audiences\":[\"a\",\"b\"],\"jwks\":{\"keys\":[]}}");
        assertThat(rule.audiences()).containsExactlyInAnyOrder("a", "b");
        assertThat(rule.keySet()).contains("{\"keys\":[]}");
        assertThat(JwtRule.parse("{\"issuer\":\"i\",\"audiences\":[\"a\"]}").keysAt())
                .isEmpty();
    }

    private static Optional<String> id(LocalIssuer issuer) {
        return issuer.keys().find(Optional.empty()).stream()
                .map(JsonWebKey::id)
                .findFirst()
                .orElse(Optional.empty());
    }

    @Test
    void givenAKeySetOfOneIssuer_thenAnothersTokenHasNoKey() {
        var keys = IssuerKeys.fixed(JsonWebKey.parseSet(LocalIssuer.create().keySet()));
        assertThat(keys.find(id(LocalIssuer.create()))).isEqualTo(List.of());
    }
}
