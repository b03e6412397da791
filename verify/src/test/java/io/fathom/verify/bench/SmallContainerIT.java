// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.MemoryGroup;
import io.fathom.verify.peers.Workspace;
import io.fathom.verify.source.Crowd;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The program in a container as small as its mesh: it starts, serves clients that stay and clients that come, and
/// takes changes, without being killed for its memory.
///
/// `-Dfathom.pods=100000` asks for a larger mesh as well.
@Tag("slow")
@Tag("interop")
class SmallContainerIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int NAMESPACES = 10;
    private static final int SERVICES = 10; // in each
    private static final int STAYING = 3;
    private static final int COMING = 5;
    private static final int CHANGES = 200;
    private static final int LARGER = Integer.getInteger("fathom.pods", 0);

    /// Images bring a cache for fast starts, which saves memory as well; a build that was made for tests has none.
    @BeforeAll
    static void prepare() throws Exception {
        try (var place = new Workspace()) {
            var process = place.start("build", List.of(program("bin/lib/build")), Map.of("FATHOM_BUILD", "caches"));
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(place.tail("build")).isZero();
        }
    }

    private static String program(String path) {
        return Path.of("..").resolve(path).toAbsolutePath().normalize().toString();
    }

    @Test
    void givenContainersThatSuitTheMesh_thenTheProgramLivesInThem_clientsAndChangesIncluded() throws Exception {
        try (var cluster = KubeApiServer.start(InstantSource.system());
                var crowd = new Crowd(cluster.kubeconfig())) {
            crowd.namespace("istio-system");
            for (var i = 0; i < NAMESPACES; i++) {
                crowd.namespace("crowd-" + i);
                for (var number = 0; number < SERVICES; number++) {
                    crowd.service("crowd-" + i, number);
                }
            }
            check(cluster, crowd, 0, 1_000, 128);
            check(cluster, crowd, 1_000, 10_000, 192);
            if (LARGER > 10_000) {
                check(cluster, crowd, 10_000, LARGER, 768);
            }
        }
    }

    /// @param before how many pods there are already
    private static void check(KubeApiServer cluster, Crowd crowd, int before, int pods, int mebibytes)
            throws Exception {
        for (var i = 0; i < NAMESPACES; i++) {
            crowd.pods(
                    "crowd-" + i,
                    before + i * (pods - before) / NAMESPACES,
                    before + (i + 1) * (pods - before) / NAMESPACES);
        }
        var port = Workspace.freePort();
        var http = Workspace.freePort();
        try (var group = MemoryGroup.of("container-" + pods, (long) mebibytes << 20);
                var place = new Workspace()) {
            var process = place.start(
                    "fathomd",
                    group.inside(List.of(
                            program("bin/fathomd"),
                            "--kubeconfig=" + cluster.kubeconfig(),
                            "--plaintext-port=" + port,
                            "--http-port=" + http,
                            "--tls-port=0",
                            "--webhook-port=0",
                            "--health-port=0")),
                    Map.of("FATHOM_BUILD", "skip", "POD_NAME", "fathomd-verify"));
            place.await("fathomd", process, PATIENCE, () -> isReady(http));
            var resources = pods + NAMESPACES * SERVICES + 2; // and the API server's own service with its endpoint
            var staying = new ArrayList<Arrivals>();
            try {
                for (var i = 0; i < STAYING; i++) {
                    staying.add(Arrivals.open(port, resources));
                }
                for (var change = 0; change < CHANGES; change++) {
                    var number = before + (int) ((long) change * (pods - before) / CHANGES);
                    var address = Crowd.addressOf(number, 1);
                    staying.forEach(client -> client.expect(address));
                    crowd.address("crowd-" + (number - before) * NAMESPACES / (pods - before), number, 1);
                    for (var client : staying) {
                        client.await(PATIENCE);
                    }
                    if (change % (CHANGES / COMING) == 0) {
                        Arrivals.open(port, resources).close();
                    }
                }
            } finally {
                staying.forEach(Arrivals::close);
            }
            System.out.printf(
                    "%,d pods in %d MiB: %d MiB in use, %.0f resident%n",
                    pods, mebibytes, group.held() >> 20, ProcessFigures.residentMebibytes(process.pid()));
            assertThat(process.isAlive()).as(place.tail("fathomd")).isTrue();
            assertThat(group.killed()).isZero();
        }
    }

    private static boolean isReady(int port) {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ready"))
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
