// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.interop.SteadyRequests.Way;
import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.LabWaypoint;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.lab.RunningProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// A service is attached to waypoints, moved between them and detached, over and over, while clients ask it: stock
/// Envoys, our node proxies in namespaces, our control plane. No request may fail.
///
/// `-Dfathom.turns=1000` asks for more of them.
@Tag("slow")
@Tag("interop")
@Timeout(7200)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class WaypointTurnsIT {
    private static final int TURNS = Integer.getInteger("fathom.turns", 24);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String ADDRESS = "10.96.77.1";

    private static final String NAMESPACE = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: lab, labels: {istio.io/dataplane-mode: ambient%s}}
            """;

    private MeshLab lab;
    private LabPod client;
    private RunningProxy near;
    private RunningProxy far;
    private LabWaypoint one;
    private LabWaypoint two;
    private WebServer web;

    @BeforeAll
    void start() {
        lab = new MeshLab(Map.of("FATHOM_WAYPOINT_DRAIN", "100ms"));
        client = lab.pod("client", "node-a");
        var server = lab.pod("server", "node-b");
        label("");
        near = lab.proxy("node-a", ProxyProgram.ours(), Map.of());
        far = lab.proxy("node-b", ProxyProgram.ours(), Map.of());
        one = lab.waypoint("one");
        two = lab.waypoint("two");
        web = WebServer.in(lab, server);
    }

    @AfterAll
    void stop() throws Exception {
        for (var part : new AutoCloseable[] {web, near, far, lab}) {
            if (part != null) {
                part.close();
            }
        }
    }

    private void label(String labels) {
        lab.write("web", """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: lab, labels: {%s}}
                spec:
                  clusterIP: %s
                  selector: {app: server}
                  ports: [{name: http, port: 80, targetPort: 8080}]
                """.formatted(labels, ADDRESS));
    }

    /// What is done to the service, beginning and ending without a waypoint.
    private enum Turn {
        ATTACHED,
        MOVED,
        WITH_ITS_NAMESPACE,
        WAYPOINT_REMOVED
    }

    @Test
    void givenLoad_whenAServiceIsAttachedMovedAndDetached_thenNoRequestFails() {
        var attached = new ArrayList<Duration>();
        try (var load = new SteadyRequests(lab, client, ADDRESS)) {
            load.await(Way.DIRECT);
            for (int number = 0; number < TURNS; number++) {
                var begun = System.nanoTime();
                var turn = Turn.values()[number % Turn.values().length];
                if (turn == Turn.WITH_ITS_NAMESPACE) {
                    lab.write("namespace", NAMESPACE.formatted(", istio.io/use-waypoint: one"));
                } else {
                    label("istio.io/use-waypoint: one");
                }
                load.await(Way.WAYPOINT);
                attached.add(Duration.ofNanos(System.nanoTime() - begun));
                detach(turn, load);
                load.await(Way.DIRECT);
                awaitDropped(one);
                awaitDropped(two);
                assertThat(load.failures()).as("turn %d: %s", number, turn).isEmpty();
            }
            var answered = load.end();
            print(answered, attached, load.failures());
            assertThat(load.failures()).isEmpty();
            assertThat(answered).isGreaterThan(10 * TURNS);
        }
    }

    private void detach(Turn turn, SteadyRequests load) {
        switch (turn) {
            case ATTACHED -> label("");
            case MOVED -> {
                label("istio.io/use-waypoint: two");
                awaitDropped(one);
                load.more();
                label("");
            }
            case WITH_ITS_NAMESPACE -> lab.write("namespace", NAMESPACE.formatted(""));
            case WAYPOINT_REMOVED -> {
                lab.remove("gateway-one");
                load.await(Way.DIRECT);
                lab.write("gateway-one", LabWaypoint.gateway("one"));
                load.await(Way.WAYPOINT);
                label("");
            }
        }
    }

    /// Only then it has to be told again.
    private static void awaitDropped(LabWaypoint waypoint) {
        Awaitility.await(waypoint.name() + " drops it")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !waypoint.admin("/clusters").contains("web.lab"));
    }

    private static void print(int answered, List<Duration> attached, List<String> failures) {
        Collections.sort(attached);
        System.out.printf(
                "%d turns, %d requests, %d lost; label to waypoint: median %d ms, 99 %% %d ms, longest %d ms%n",
                TURNS,
                answered,
                failures.size(),
                attached.get(attached.size() / 2).toMillis(),
                attached.get(attached.size() * 99 / 100).toMillis(),
                attached.getLast().toMillis());
    }
}
