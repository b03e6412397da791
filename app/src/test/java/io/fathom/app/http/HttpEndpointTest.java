// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpEndpointTest {
    /// Requests that never become whole, and one whose answer is not fetched.
    private static final List<String> BROKEN = List.of(
            "",
            "G",
            "GET /version HTTP/1.1\r\nX: ",
            "POST /act HTTP/1.1\r\nContent-Length: 9\r\n\r\n",
            "\u0016\u0003\u0001",
            "GET /debug/largez HTTP/1.1\r\n\r\n".repeat(4));

    /// For a machine that builds beside it; docs/performance.md has the figure of a quiet one.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final HttpClient client = HttpClient.newHttpClient();
    private HttpEndpoint endpoint;

    @BeforeEach
    void start() throws IOException {
        var pages = new Pages("test")
                .index("/debug")
                .debugList()
                .open("/version", "which build", _ -> Page.Reply.text("1.2.3"))
                .debug(
                        "listz",
                        "some JSON",
                        query -> Page.Reply.json(json -> json.object(out -> out.texts(
                                        "names",
                                        List.of("a", query.parameter("also").orElse("-")))
                                .count("none", 0))))
                .debug(
                        "largez",
                        "much JSON",
                        _ -> Page.Reply.json(json -> json.list(
                                IntStream.range(0, 20_000)
                                        .mapToObj("element-%d"::formatted)
                                        .map(e -> e.substring(0, 9))
                                        .toList(),
                                JsonOut::value)))
                .open("/long", "much text", query -> Page.Reply.text(query.accept() + "line\n".repeat(1000)))
                .action(
                        "/act",
                        "does something",
                        query ->
                                Page.Reply.text("done " + query.parameter("how").orElse("")))
                .debug("brokenz", "fails", _ -> {
                    throw new IllegalStateException("on purpose");
                });
        endpoint = HttpEndpoint.start(new InetSocketAddress("0.0.0.0", 0), pages);
    }

    @AfterEach
    void stop() {
        endpoint.close();
        client.close();
    }

    @Test
    void givenADoubledSlash_thenTheSamePage() throws Exception {
        assertThat(get("//version").body()).isEqualTo("1.2.3\n");
        assertThat(get("/version/").statusCode()).isEqualTo(200);
    }

    @Test
    void givenParameters_thenThePageSeesThem() throws Exception {
        assertThat(get("/debug/listz?also=b%20c").body()).isEqualTo("{\"names\":[\"a\",\"b c\"],\"none\":0}");
        assertThat(get("/debug/listz?pretty").body()).startsWith("{\n  \"names\"");
    }

    @Test
    void givenAnUnknownPath_then404() throws Exception {
        assertThat(get("/debug/nothingz").statusCode()).isEqualTo(404);
    }

    @Test
    void givenAnotherMethod_then405() throws Exception {
        var request = HttpRequest.newBuilder(uri("127.0.0.1", "/version"))
                .POST(BodyPublishers.noBody())
                .build();

        var response = client.send(request, BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(response.headers().firstValue("Allow")).hasValue("GET, HEAD");
    }

    @Test
    void givenAnAction_thenOnlyPostDoesIt() throws Exception {
        assertThat(get("/act").statusCode()).isEqualTo(405);
        var request = HttpRequest.newBuilder(uri("127.0.0.1", "/act?how=well"))
                .POST(BodyPublishers.noBody())
                .build();
        assertThat(client.send(request, BodyHandlers.ofString()).body()).isEqualTo("done well\n");
    }

    @Test
    void givenAPageThatFails_then500AndTheOthersStay() throws Exception {
        assertThat(get("/debug/brokenz").statusCode()).isEqualTo(500);
        assertThat(get("/version").statusCode()).isEqualTo(200);
    }

    @Test
    void whenListed_thenEveryDebugPageIsThere() throws Exception {
        assertThat(get("/debug/list").body()).isEqualTo("[\"brokenz\",\"largez\",\"list\",\"listz\"]");
        assertThat(get("/debug").body()).contains("/debug/listz", "some JSON", "/version");
    }

    @Test
    void givenAClientFromElsewhere_thenDebugPagesAreRefusedAndOthersAreNot() throws Exception {
        var own = ownAddress();
        Assumptions.assumeTrue(own.isPresent(), "this machine has only loopback addresses");

        var refused = send(own.get().getHostAddress(), "/debug/listz");

        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("loopback", "port-forward");
        assertThat(send(own.get().getHostAddress(), "/version").statusCode()).isEqualTo(200);
    }

    @Test
    void givenALargeAnswer_thenItArrivesWhole() throws Exception {
        var body = get("/debug/largez").body();

        assertThat(body)
                .hasSize(2 + 20_000 * 12 - 1)
                .startsWith("[\"element-0\"")
                .endsWith("]");
    }

    @Test
    void givenSomethingElseThanHttp_then400() throws Exception {
        assertThat(raw("HELO there\r\n\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(raw("GET / HTTP/1.1\r\nX: " + "y".repeat(20_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431 ");
    }

    @Test
    void givenHttp10_thenTheEndOfTheConnectionEndsTheBody() throws Exception {
        assertThat(raw("GET /debug/list HTTP/1.0\r\n\r\n"))
                .contains("Connection: close")
                .doesNotContain("chunked")
                .endsWith("\r\n\r\n[\"brokenz\",\"largez\",\"list\",\"listz\"]");
    }

    @ParameterizedTest
    @CsvSource({"gzip, gzip", "'br, deflate', deflate", "'deflate, gzip;q=0.5', gzip", "'gzip;q=0', ''", "zstd, ''"})
    void case105_whenTheClientWantsItPacked_thenItIsTheSameUnpacked(String accepted, String coding) throws Exception {
        var request = HttpRequest.newBuilder(uri("127.0.0.1", "/long"))
                .header("Accept-Encoding", accepted)
                .header("Accept", "text/plain")
                .build();
        var response = client.send(request, BodyHandlers.ofByteArray());
        assertThat(response.headers().firstValue("Content-Encoding").orElse("")).isEqualTo(coding);
        var body = new ByteArrayInputStream(response.body());
        var unpacked = switch (coding) {
            case "gzip" -> new GZIPInputStream(body);
            case "deflate" -> new InflaterInputStream(body);
            default -> body;
        };
        assertThat(new String(unpacked.readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("text/plain" + "line\n".repeat(1000));
    }

    @Test
    void givenAShortAnswer_thenItIsNotPacked() throws Exception {
        assertThat(raw("GET /version HTTP/1.1\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"))
                .endsWith("\r\n\r\n1.2.3\n");
    }

    private String raw(String request) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send("127.0.0.1", path);
    }

    private HttpResponse<String> send(String host, String path) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(uri(host, path)).build(), BodyHandlers.ofString());
    }

    private URI uri(String host, String path) {
        return URI.create("http://" + host + ":" + endpoint.port() + path);
    }

    private static Optional<InetAddress> ownAddress() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .filter(address -> address.getAddress().length == 4)
                .findFirst();
    }

    @Test
    void givenTwoThousandClientsThatStall_thenWhoComesIsAnsweredAtOnce() throws Exception {
        var stalling = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 2000; i++) {
                var socket = new Socket();
                stalling.add(socket);
                socket.setReceiveBufferSize(4096); // so that answers that nobody fetches do not fit
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port()));
                socket.getOutputStream().write(BROKEN.get(i % BROKEN.size()).getBytes(StandardCharsets.ISO_8859_1));
                if (i % 100 == 99) {
                    var before = System.nanoTime();
                    assertThat(raw("GET /version HTTP/1.1\r\nConnection: close\r\n\r\n"))
                            .startsWith("HTTP/1.1 200 ");
                    assertThat(Duration.ofNanos(System.nanoTime() - before))
                            .as("beside %d others", i + 1)
                            .isLessThan(PATIENCE);
                }
            }
        } finally {
            for (var socket : stalling) {
                socket.close();
            }
        }
    }

    @Test
    void givenAHeadThatNeverEnds_thenTheConnectionIsCutAfterSomeSeconds() throws Exception {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write("GET /version HTTP/1.1\r\nX".getBytes(StandardCharsets.ISO_8859_1));
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }
}
