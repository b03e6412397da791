// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.curl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.app.http.HttpEndpoint;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class CurlTest {
    private HttpEndpoint server;

    record Said(int code, String out, String err) {}

    @BeforeAll
    void start() throws IOException {
        var pages = new Pages("curl-test")
                .open("/plain", "Text", _ -> Page.Reply.text("pages\n"))
                .open(
                        "/query",
                        "What was asked",
                        query -> Page.Reply.text(query.parameter("level").orElse("nothing")))
                .action("/change", "POST", _ -> Page.Reply.text("changed"));
        server = HttpEndpoint.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), pages);
    }

    @AfterAll
    void stop() {
        server.close();
    }

    static Stream<Arguments> calls() {
        return Stream.of(
                argumentSet("as the seeds write it", "-s localhost:PORT/plain", new Said(0, "pages\n", "")),
                argumentSet("with a scheme", "http://127.0.0.1:PORT/plain", new Said(0, "pages\n", "")),
                argumentSet("with a query", "-s localhost:PORT/query?level=warn", new Said(0, "warn\n", "")),
                argumentSet(
                        "two pages", "localhost:PORT/plain localhost:PORT/plain", new Said(0, "pages\npages\n", "")),
                argumentSet("POST", "-sS -X POST localhost:PORT/change", new Said(0, "changed\n", "")),
                argumentSet("POST by data", "-d x localhost:PORT/change", new Said(0, "changed\n", "")),
                argumentSet("letters together", "-sm5 -XPOST localhost:PORT/change", new Said(0, "changed\n", "")),
                argumentSet("long flags", "--silent --max-time 5 localhost:PORT/plain", new Said(0, "pages\n", "")),
                argumentSet(
                        "an error with -f",
                        "-fsS localhost:PORT/none",
                        new Said(22, "", "curl: (22) the requested URL returned error: 404\n")),
                argumentSet("a silent error", "-fs localhost:PORT/none", new Said(22, "", "")),
                argumentSet("no URL", "-s", new Said(2, "", "curl: no URL: try curl -s localhost:15000/config_dump\n")),
                argumentSet(
                        "an unknown flag",
                        "-z localhost:PORT/plain",
                        new Said(
                                2, "", "curl: option -z: is unknown; this small curl knows -s -S -f -X -H -d -m -o\n")),
                argumentSet(
                        "no value",
                        "localhost:PORT/plain -m",
                        new Said(2, "", "curl: option -m: requires parameter\n")),
                argumentSet(
                        "no header",
                        "-H nonsense localhost:PORT/plain",
                        new Said(2, "", "curl: option -H: nonsense is no NAME: VALUE\n")),
                argumentSet(
                        "TLS",
                        "https://localhost:PORT/plain",
                        new Said(1, "", "curl: protocol https is not supported: this small curl knows http\n")));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void whenCalled(String line, Said want) {
        assertThat(curl(line.replace("PORT", Integer.toString(server.port())))).isEqualTo(want);
    }

    @Test
    void givenNobodyListens_thenSeven() throws IOException {
        int port;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        var said = curl("-sS localhost:" + port + "/");
        assertThat(said.code()).isEqualTo(7);
        assertThat(said.err()).startsWith("curl: (7) cannot connect to localhost port " + port);
    }

    @Test
    void givenNoAnswer_thenTwentyEightAtTheDeadline() throws IOException {
        try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(curl("-m 0.2 127.0.0.1:" + silent.getLocalPort() + "/"))
                    .isEqualTo(new Said(28, "", "curl: (28) no answer within 200 ms\n"));
        }
    }

    @Test
    void givenAFile_thenThePageIsThere(@TempDir Path folder) throws IOException {
        var file = folder.resolve("page");
        assertThat(curl("-s -o " + file + " localhost:" + server.port() + "/plain")
                        .out())
                .isEmpty();
        assertThat(file).hasContent("pages");
        assertThat(curl("-so " + folder.resolve("no/such") + " localhost:" + server.port() + "/plain")
                        .code())
                .isEqualTo(23);
        assertThat(Files.exists(folder.resolve("no"))).isFalse();
    }

    private static Said curl(String line) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var code = new Curl(new PrintStream(out), new PrintStream(err)).run(line.split(" "));
        return new Said(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
