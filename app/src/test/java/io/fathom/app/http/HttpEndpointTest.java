// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.TestCommand;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    /// The most that clients that stall may add to the median of what an answer takes without them. A median, because
    /// on a busy machine single answers wait for a processor longer than that.
    private static final Duration MOST_ADDED = Duration.ofMillis(100);

    /// Other pages wait for a thread behind those that others asked for.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final HttpClient client = HttpClient.newHttpClient();
    private HttpEndpoint endpoint;

    @BeforeEach
    void start() throws IOException {
        var pages = new Pages("test")
                .index("/debug")
                .debugList()
                .open("/version", "which build", _ -> Page.Reply.text("1.2.3"))
                .probe("/ready", "readiness", _ -> Page.Reply.text("ready"))
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
        var idle = new ArrayList<Duration>();
        for (int i = 0; i < 40; i++) {
            idle.add(time("/ready"));
        }
        var pages = new ArrayList<Duration>();
        var beside = new ArrayList<Duration>();
        var stalling = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 2000; i++) {
                var socket = new Socket();
                stalling.add(socket);
                socket.setReceiveBufferSize(4096); // so that answers that nobody fetches do not fit
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port()));
                socket.getOutputStream().write(BROKEN.get(i % BROKEN.size()).getBytes(StandardCharsets.ISO_8859_1));
                if (i % 50 == 49) {
                    beside.add(time("/ready"));
                }
                if (i % 400 == 399) {
                    pages.add(time("/version"));
                }
            }
        } finally {
            for (var socket : stalling) {
                socket.close();
            }
        }
        assertThat(median(beside))
                .as("%s, alone %s", beside, idle)
                .isLessThan(median(idle).plus(MOST_ADDED));
        assertThat(median(pages)).as("%s", pages).isLessThan(PATIENCE);
    }

    private Duration time(String path) throws IOException {
        var before = System.nanoTime();
        assertThat(raw("GET " + path + " HTTP/1.1\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ");
        return Duration.ofNanos(System.nanoTime() - before);
    }

    private static Duration median(List<Duration> all) {
        return all.stream().sorted().toList().get(all.size() / 2);
    }

    /// The thread that accepts answers probes alone, whatever else comes with them.
    @Test
    void givenAProbe_thenItIsAnsweredInPiecesTogetherAndWithABody() throws Exception {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
            for (var piece : List.of("GE", "T /ready HTT", "P/1.1\r\nHost: a\r\n\r", "\nGET /ready HTTP/1.1\r\n\r\n")) {
                socket.getOutputStream().write(piece.getBytes(StandardCharsets.ISO_8859_1));
            }
            socket.getOutputStream()
                    .write("GET /version HTTP/1.1\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
            var answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertThat(answers.split("HTTP/1.1 200 ", -1)).hasSize(4);
            assertThat(answers).endsWith("1.2.3\n");
        }
        assertThat(raw("POST /ready HTTP/1.1\r\nContent-Length: 2\r\n\r\nab")).startsWith("HTTP/1.1 405 ");
        assertThat(raw("HEAD /ready HTTP/1.0\r\n\r\n")).endsWith("\r\n\r\n").contains("Content-Length: 6");
        assertThat(raw("GET /ready HTTP/1.1\nConnection: close\n\n")).endsWith("ready\n");
    }

    @Test
    void givenClientsThatKeepTheirConnections_thenProbesAndPagesTakeTurns() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertThat(get("/ready").body()).isEqualTo("ready\n");
            assertThat(get("/version").body()).isEqualTo("1.2.3\n");
        }
    }

    @Test
    void whenClosed_thenThePortIsFree() throws Exception {
        endpoint.close();
        try (var again = HttpEndpoint.start(new InetSocketAddress("0.0.0.0", endpoint.port()), new Pages("again"))) {
            assertThat(again.port()).isEqualTo(endpoint.port());
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

    /// A program on a machine without IPv6: where it could listen.
    static final class Ipv4Program {
        private Ipv4Program() {}

        public static void main(String[] hosts) {
            for (var host : hosts) {
                var address = new InetSocketAddress(InetAddress.ofLiteral(host), 0);
                try (var endpoint = HttpEndpoint.start(address, new Pages("test"));
                        var _ = new Socket(InetAddress.ofLiteral("127.0.0.1"), endpoint.port())) {
                    IO.println(host + " ok");
                } catch (IOException e) {
                    IO.println(host + " " + e.getMessage());
                }
            }
        }
    }

    @Test
    void givenNoIpv6_thenAllAddressesMeansThoseOfIpv4_andOthersAreAProblem() {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var line = List.of(
                java,
                "-Djava.net.preferIPv4Stack=true",
                "-cp",
                System.getProperty("java.class.path"),
                Ipv4Program.class.getName(),
                "::",
                "::1",
                "127.0.0.1");

        assertThat(TestCommand.of(line, Map.of()).run().expect("java").lines())
                .containsExactly(":: ok", "::1 there is no IPv6 here", "127.0.0.1 ok");
    }
}
