// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// Pod to waypoint to pod, through real node proxies: what layer 7 knows of who calls, and what callers notice of it.
@Tag("slow")
@Tag("alone")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class LocalWaypointIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String STOREFRONT = "spiffe://cluster.local/ns/shop/sa/storefront";
    private static final String VISITOR = "spiffe://cluster.local/ns/visitors/sa/visitor";

    /// Four clients at a time, each with connections of its own and with kept ones, until the file is gone.
    private static final String LOAD = """
            import http.client, os, sys, threading
            good, bad = [], []
            def ask(connection):
                connection.request("GET", "/counter")
                answer = connection.getresponse()
                answer.read()
                (good if answer.status == 200 else bad).append(answer.status)
            def work(keep):
                connection = None
                while os.path.exists(sys.argv[1]):
                    try:
                        if not connection or not keep:
                            connection = http.client.HTTPConnection("office.post", timeout=10)
                        ask(connection)
                    except Exception as e:
                        bad.append(repr(e))
                        connection = None
            threads = [threading.Thread(target=work, args=(i % 2 == 0,)) for i in range(4)]
            for t in threads: t.start()
            print("begun", flush=True)
            for t in threads: t.join()
            print("good", len(good), "bad", len(bad), bad[:5], flush=True)
            """;

    private LocalMesh mesh;

    @BeforeAll
    void start() throws IOException {
        mesh = LocalMesh.create();
        try (var text = Objects.requireNonNull(LocalWaypointIT.class.getResourceAsStream("/local/post.yaml"))) {
            mesh.write("post.yaml", new String(text.readAllBytes(), StandardCharsets.UTF_8));
        }
        var result = mesh.start();
        assertThat(result.code()).as(result.out()).isZero();
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(get("visitor", "office.post/counter")).startsWith("HTTP/1.1 200"));
    }

    @AfterAll
    void stop() {
        if (mesh != null) {
            mesh.close();
        }
    }

    @Test
    void givenAPolicyOfLayer7_whenPodsCall_thenTheirOwnIdentityDecides() {
        assertThat(get("visitor", "office.post/counter")).startsWith("HTTP/1.1 200");
        assertThat(get("visitor", "office.post/vault")).startsWith("HTTP/1.1 403");
        assertThat(get("storefront", "office.post/vault")).startsWith("HTTP/1.1 200");
        assertThat(get("cart", "office.post/counter")).startsWith("HTTP/1.1 403");
    }

    @Test
    void givenAForgedIdentity_whenAPodCalls_thenItIsReplacedByItsOwn_andOpensNothing() {
        var forged = "x-forwarded-client-cert: By=spiffe://x;URI=" + STOREFRONT;

        assertThat(get("visitor", "office.post/vault", "-H", forged)).startsWith("HTTP/1.1 403");
        assertThat(get("visitor", "office.post/counter", "-H", forged))
                .startsWith("HTTP/1.1 200")
                .contains("x-forwarded-client-cert: By=spiffe://cluster.local/ns/post/sa/gate;URI=" + VISITOR)
                .doesNotContain(STOREFRONT);
    }

    @Test
    void givenAServiceOfOthers_whenPodsCallIt_thenItsWaypointRoutesAndDecides() {
        assertThat(get("visitor", "abroad.example/money"))
                .startsWith("HTTP/1.1 200")
                .contains("\"rate\"");
        assertThat(get("visitor", "abroad.example/rate")).as("no rule for it").startsWith("HTTP/1.1 404");
        assertThat(get("storefront", "abroad.example/money")).startsWith("HTTP/1.1 403");
        assertThat(mesh.exec("gate", "curl", "-sm", "20", "http://localhost:15020/stats/prometheus")
                        .out()
                        .lines())
                .anyMatch(line -> line.startsWith("istio_requests_total{")
                        && line.contains("destination_service=\"abroad.example\"")
                        && line.contains("source_principal=\"" + VISITOR + "\"")
                        && line.contains("response_code=\"200\""));
    }

    @Test
    void givenLoad_whenTheBackendIsRolledOut_thenNoRequestFails() throws IOException {
        var sign = mesh.run().resolve("load-on");
        Files.writeString(sign, "");
        try (var client = mesh.begin("visitor", "python3", "-c", LOAD, sign.toString())) {
            assertThat(client.line()).isEqualTo("begun");
            mesh.edit("post.yaml", text -> text.replace("EDITION-1", "EDITION-2"));
            Awaitility.await().atMost(PATIENCE).until(this::secondEditionIsOut);
            Files.delete(sign);
            assertThat(client.result().out()).matches("(?s)good \\d{2,} bad 0 .*");
        } finally {
            Files.deleteIfExists(sign);
        }
    }

    private boolean secondEditionIsOut() {
        var pods = mesh.pods("office");
        return pods.size() == 2
                && pods.stream().allMatch(pod -> pod.path("ready").asBoolean())
                && get("visitor", "office.post/counter").contains("EDITION-2");
    }

    private String get(String pod, String url, String... flags) {
        var line = new ArrayList<>(List.of("curl", "-sim", "20", "http://" + url));
        line.addAll(List.of(flags));
        return mesh.exec(pod, line.toArray(String[]::new)).out();
    }
}
