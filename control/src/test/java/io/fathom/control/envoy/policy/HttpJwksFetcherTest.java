// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fathom.control.envoy.policy.JwksSource.JwksDocument;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpJwksFetcherTest {
    private static final String KEYS = new TestIssuer("i", "k").keySet();

    private HttpServer server;
    private String root;
    private final HttpJwksFetcher fetcher = new HttpJwksFetcher();

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
        root = "http://127.0.0.1:" + server.getAddress().getPort();
        var documents = Map.of(
                "/keys",
                KEYS,
                "/issuer/.well-known/openid-configuration",
                "{\"jwks_uri\": \"" + root + "/keys\"}",
                "/silent/.well-known/openid-configuration",
                "{}",
                "/text",
                "hello",
                "/empty",
                "{\"keys\": []}",
                "/large",
                " ".repeat(2 * 1024 * 1024) + KEYS);
        server.createContext("/", exchange -> {
            var path = exchange.getRequestURI().getPath();
            if (path.equals("/moved")) {
                exchange.getResponseHeaders().add("location", root + "/keys");
                exchange.sendResponseHeaders(302, -1);
            } else if (documents.containsKey(path)) {
                var body = String.valueOf(documents.get(path)).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            } else {
                exchange.sendResponseHeaders(404, -1);
            }
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        fetcher.close();
    }

    @Test
    void givenAKeySet_thenItsTextIsFetched() throws Exception {
        assertThat(fetcher.fetch(source(JwksDocument.KEY_SET, root + "/keys"))).isEqualTo(KEYS);
        assertThat(fetcher.fetch(source(JwksDocument.KEY_SET, root + "/moved"))).isEqualTo(KEYS);
    }

    @Test
    void givenAnIssuer_thenItsDocumentLeadsToTheKeySet() throws Exception {
        assertThat(fetcher.fetch(source(JwksDocument.DISCOVERY, root + "/issuer/.well-known/openid-configuration")))
                .isEqualTo(KEYS);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            KEY_SET   | /nothing                                 | answers with status 404
            KEY_SET   | /text                                    | is no key set with keys
            KEY_SET   | /empty                                   | is no key set with keys
            KEY_SET   | /large                                   |
            DISCOVERY | /silent/.well-known/openid-configuration | names no jwks_uri
            """)
    void givenNoKeySetThere_thenTheReasonIsTold(JwksDocument kind, String path, String reason) {
        assertThatThrownBy(() -> fetcher.fetch(source(kind, root + path)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(reason == null ? "" : reason);
    }

    @Test
    void givenAnAddressOfAnotherKind_thenItIsRefused() {
        for (var address : new String[] {"file:///etc/passwd", "not an address", "https:///x"}) {
            assertThatThrownBy(() -> fetcher.fetch(source(JwksDocument.KEY_SET, address)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no http or https address");
        }
    }

    private static JwksSource source(JwksDocument kind, String address) {
        return new JwksSource(kind, address, Duration.ofSeconds(30));
    }
}
