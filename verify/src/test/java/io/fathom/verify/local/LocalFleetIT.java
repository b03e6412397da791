// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Two clusters of `bin/up` in a fleet whose management server is gone while one calls the other.
/// `-Dfathom.fleet.away=PT10M` says for how long; by default until a new pod works.
@Tag("slow")
@Tag("alone")
@Timeout(1800)
class LocalFleetIT {
    private static final Logger log = LoggerFactory.getLogger(LocalFleetIT.class);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String FIRST = "cluster-1";

    private static final String MANY_REQUESTS = """
            while [ -e SIGN ]; do
              curl -s -o /dev/null -m 5 -w '%{http_code}\n' http://cart.shop/items || true
              sleep 0.05
            done | sort | uniq -c""";

    private final LocalMesh mesh = LocalMesh.create();

    @AfterEach
    void stop() {
        mesh.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200));
    }

    @Test
    void whenTheServerIsStoppedAndKilled_thenNoRequestFails_newPodsJoin_andItKnowsWhatItKnew() throws IOException {
        var result = mesh.start("--clusters", "2", "--fleet");
        assertThat(result.code()).as(result.out()).isZero();
        var sign = mesh.run().resolve("traffic-on");
        Files.writeString(sign, "");
        var server = server().orElseThrow();
        var before = ready("storefront");

        try (var client = mesh.begin(FIRST + "/visitor", "sh", "-c", MANY_REQUESTS.replace("SIGN", sign.toString()))) {
            // it answers nobody, and its supervisor does not start another one
            assertThat(LocalMesh.outside("kill", "-STOP", Long.toString(server.pid()))
                            .code())
                    .isZero();
            var end = Instant.now().plus(Duration.parse(System.getProperty("fathom.fleet.away", "PT0S")));
            mesh.edit("shop/storefront.yaml", text -> text.replace("replicas: 2", "replicas: 3"));
            await().until(() -> ready("storefront").size() == 3);
            var newest = ready("storefront").stream()
                    .filter(pod -> !before.contains(pod))
                    .findFirst()
                    .orElseThrow();
            await().untilAsserted(() -> assertThat(
                            mesh.exec(FIRST + "/visitor", "curl", "-sm", "20", "http://storefront.shop")
                                    .out())
                    .contains(newest));
            Awaitility.await()
                    .atMost(Duration.ofMinutes(20))
                    .until(() -> Instant.now().isAfter(end));

            assertThat(server.destroyForcibly()).isTrue();
            await().until(() ->
                    server().filter(now -> now.pid() != server.pid()).isPresent());
            await().untilAsserted(() -> assertThat(mesh.up("fathomctl", "fleet", "status", "-o", "json")
                            .out())
                    .containsPattern("(?s)\"connected\" *: *true.*\"connected\" *: *true"));
            Files.delete(sign);
            var outcome = client.result().out();
            log.info("requests while the management server is gone: {}", outcome.strip());
            assertThat(outcome.strip()).matches("\\d+ 200");
        }
        assertThat(mesh.up("logs", "fathom-fleet").out())
                .containsPattern("services-restored.*details=[1-9]\\d* services of 2 clusters");
    }

    private Optional<ProcessHandle> server() {
        var folder = mesh.run().resolve("fleet").toString();
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .arguments()
                        .map(List::of)
                        .filter(words -> words.contains("--state-dir=" + folder))
                        .isPresent())
                .filter(process -> process.info().command().orElse("").endsWith("java"))
                .findFirst();
    }

    private List<String> ready(String prefix) {
        return StreamSupport.stream(
                        LocalMesh.status(mesh.run().resolve(FIRST)).path("pods").spliterator(), false)
                .filter(pod -> pod.path("ready").asBoolean())
                .map(pod -> pod.path("name").asText())
                .filter(name -> name.startsWith(prefix))
                .toList();
    }
}
