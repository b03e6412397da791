// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.verify.client.RunningFathomd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Services over the stream of a fleet: a management server, and two clusters, each with an agent and a control plane
/// that asks nobody. No control plane can: the addresses of the gateways lead nowhere.
@Tag("slow")
class FleetServicesIT {
    private final FleetProcesses fleet = new FleetProcesses();
    private final Map<String, RunningFathomd> planes = new HashMap<>();

    @AfterEach
    void stop() {
        planes.values().forEach(RunningFathomd::close);
        fleet.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(FleetProcesses.PATIENCE).pollInterval(Duration.ofMillis(100));
    }

    private void cluster(String name, String address) {
        fleet.write(name, address, "");
        fleet.put(name + "/manifests/namespaces.yaml", """
                {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: net-%s}}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}}
                """.formatted(name));
        fleet.put(name + "/manifests/agent.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: fathom-agent, namespace: istio-system, uid: agent-1}
                spec: {serviceAccountName: fathom-agent, nodeName: n, containers: [{name: agent, image: agent}]}
                status: {phase: Running, podIP: 10.1.255.1, podIPs: [{ip: 10.1.255.1}]}
                """);
        fleet.put(name + "/gateways/.keep", "");
    }

    private RunningFathomd plane(String name) {
        return planes.computeIfAbsent(
                name,
                _ -> RunningFathomd.on(
                        Path.of(fleet.folder(name + "/manifests") + "," + fleet.folder(name + "/gateways")),
                        Map.of(
                                "CLUSTER_ID",
                                name,
                                "FATHOM_ROOT_CERT_FILE",
                                fleet.folder(name + "/root-cert.pem").toString(),
                                "FATHOM_TOKENS_DIR",
                                fleet.folder(name + "/tokens").toString(),
                                "CA_TRUSTED_NODE_ACCOUNTS",
                                "istio-system/fathom-agent")));
    }

    private void agent(String name, String... flags) {
        var all = Stream.concat(
                Stream.of("--control-plane=http://127.0.0.1:" + plane(name).plaintextPort()), Stream.of(flags));
        var _ = fleet.startAgent(name, all.toArray(String[]::new));
    }

    /// As in a cluster: over TLS, with a token of its own account.
    private void agentOverTls(String name, String... flags) {
        var port = plane(name).tlsPort();
        var token = fleet.folder(name + "/tokens/istio-system/fathom-agent/istio-token");
        await().until(() -> Files.exists(token));
        var all = Stream.concat(
                Stream.of(
                        "--control-plane=https://127.0.0.1:" + port,
                        "--control-plane-root=" + fleet.folder(name + "/root-cert.pem"),
                        "--control-plane-token=" + token),
                Stream.of(flags));
        var _ = fleet.startAgent(name, all.toArray(String[]::new));
    }

    private void service(String cluster, String name, int pods) {
        var text = new StringBuilder("""
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: shop, labels: {solo.io/service-scope: global}}
                spec: {clusterIP: 10.96.0.%2$d, selector: {app: %1$s}, ports: [{name: http, port: 80, targetPort: 8080}]}
                """.formatted(name, name.length()));
        for (var i = 1; i <= pods; i++) {
            text.append("""
                    ---
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: %1$s-%2$d, namespace: shop, labels: {app: %1$s}}
                    spec: {serviceAccountName: %1$s, nodeName: n, containers: [{name: app, image: app}]}
                    status:
                      phase: Running
                      podIP: 10.1.%3$d.%2$d
                      podIPs: [{ip: 10.1.%3$d.%2$d}]
                      conditions: [{type: Ready, status: "True"}]
                    """.formatted(name, i, name.length()));
        }
        fleet.put(cluster + "/manifests/" + name + ".yaml", text.toString());
    }

    /// Capacity by mesh-wide name, of what other clusters have.
    private Map<String, Integer> remote(String cluster) {
        var found = new HashMap<String, Integer>();
        for (var workload : plane(cluster).json("/debug/ambientz").path("workloads")) {
            var uid = workload.path("uid").asText();
            if (uid.contains("SplitHorizonWorkload")) {
                found.put(
                        uid.substring(uid.lastIndexOf('/') + 1),
                        workload.path("capacity").asInt(1));
            }
        }
        return found;
    }

    private Set<String> addresses(String cluster) {
        var found = new TreeSet<String>();
        for (var service : plane(cluster).json("/debug/ambientz").path("services")) {
            service.path("addresses")
                    .forEach(address -> found.add(service.path("hostname").asText() + " " + address));
        }
        return found;
    }

    private JsonNode known(String cluster, String other) {
        return StreamSupport.stream(plane(cluster).json("/debug/clusterz").spliterator(), false)
                .filter(row -> row.path("id").asText().equals(other))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void givenAFleet_thenServicesReachTheOthers_stayWithoutTheServer_andGoWithTheirCluster() {
        fleet.startServer();
        cluster("west", "10.77.0.1");
        cluster("east", "10.77.1.1");
        service("east", "db", 2);
        agent("west", "--token=" + fleet.token("west"));
        agentOverTls("east", "--token=" + fleet.token("east"));

        await().untilAsserted(() -> assertThat(remote("west"))
                .as("%s%s", fleet.log("west"), fleet.log("east"))
                .isEqualTo(Map.of("db.shop.mesh.internal", 2)));
        assertThat(known("west", "east").path("secretName").asText()).isEqualTo("Fleet");
        await().untilAsserted(() ->
                assertThat(known("west", "east").path("syncStatus").asText()).isEqualTo("synced"));
        assertThat(plane("west").text("/debug/problemz")).doesNotContain("peer-unreachable", "fleet-");
        var before = addresses("west");

        service("east", "db", 3);
        service("west", "cart", 1);
        await().untilAsserted(() -> assertThat(remote("west")).isEqualTo(Map.of("db.shop.mesh.internal", 3)));
        await().untilAsserted(() -> assertThat(remote("east")).isEqualTo(Map.of("cart.shop.mesh.internal", 1)));

        assertThat(fleet.fathomctl("services", "-o", "json").lines().map(String::strip))
                .contains("\"service\" : \"shop/cart\",", "\"service\" : \"shop/db\",", "\"ready\" : 3");
        assertThat(fleet.fathomctl("clusters")).containsPattern("(?m)^east +member .* 1 +cluster.local");

        // without a server everything stays, and is known to be old; also when an agent starts anew
        fleet.kill("server");
        await().untilAsserted(
                        () -> assertThat(plane("west").text("/debug/problemz")).contains("fleet-server-away"));
        fleet.kill("west");
        await().untilAsserted(
                        () -> assertThat(plane("west").text("/debug/problemz")).contains("fleet-agent-away"));
        agent("west");
        await().untilAsserted(
                        () -> assertThat(plane("west").text("/debug/problemz")).contains("fleet-server-away"));
        service("east", "db", 4);
        // a killed agent knows what was on its disk: numbers may be some seconds older, but nothing is gone
        assertThat(remote("west")).containsOnlyKeys("db.shop.mesh.internal");

        // a control plane that starts is told everything by its agent, server or not
        fleet.kill("west");
        plane("west").close();
        planes.remove("west");
        agent("west");
        await().untilAsserted(() -> assertThat(remote("west")).containsOnlyKeys("db.shop.mesh.internal"));

        fleet.startServer();
        await().untilAsserted(() -> assertThat(remote("west")).isEqualTo(Map.of("db.shop.mesh.internal", 4)));
        assertThat(addresses("west")).containsAll(before);
        await().untilAsserted(
                        () -> assertThat(plane("west").text("/debug/problemz")).doesNotContain("fleet-"));

        var _ = fleet.fathomctl("leave", "east");
        await().untilAsserted(() -> assertThat(remote("west")).isEmpty());
    }

    /// The server is away for `-Dfathom.fleet.away=PT10M`, by default for as long as it takes to look.
    @Test
    void givenManyServices_whenTheServerIsKilled_thenNothingChanges_andAgentsSendOnlyWhatIsNew() {
        var many = IntStream.range(0, 400).mapToObj("many-%03d"::formatted).toList();
        fleet.startServer();
        cluster("west", "10.77.0.1");
        cluster("east", "10.77.1.1");
        many.forEach(name -> service("east", name, 1));
        agent("west", "--token=" + fleet.token("west"));
        agent("east", "--token=" + fleet.token("east"));
        await().untilAsserted(() -> assertThat(remote("west")).hasSize(many.size()));
        awaitSettled();
        var first = Traffic.of(fleet);

        fleet.kill("server");
        var end = Instant.now().plus(Duration.parse(System.getProperty("fathom.fleet.away", "PT0S")));
        await().untilAsserted(
                        () -> assertThat(plane("west").text("/debug/problemz")).contains("fleet-server-away"));
        service("east", "late", 1);
        service("west", "local", 2);
        await().untilAsserted(
                        () -> assertThat(plane("west").text("/debug/ambientz")).contains("local-2"));
        Awaitility.await()
                .atMost(Duration.ofHours(1))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> {
                    assertThat(remote("west")).hasSize(many.size());
                    return Instant.now().isAfter(end);
                });

        fleet.startServer();
        assertThat(fleet.folder("server.log")).content().contains("services-restored", many.size() + " services");
        // who has waited for long asks less often
        await().atMost(Duration.ofMinutes(5))
                .untilAsserted(() -> assertThat(remote("west")).hasSize(many.size() + 1));
        await().atMost(Duration.ofMinutes(5))
                .untilAsserted(() -> assertThat(remote("east")).containsOnlyKeys("local.shop.mesh.internal"));
        awaitSettled();
        var again = Traffic.of(fleet);
        System.out.printf("first: %s; after the server was killed: %s%n", first, again);
        assertThat(again.received()).isLessThan(first.received() / 4);
        assertThat(again.sent()).isLessThan(first.sent() / 4);
    }

    private record Traffic(long received, long sent) {
        static Traffic of(FleetProcesses fleet) {
            return new Traffic(
                    fleet.metric("fathom_fleet_bytes{direction=\"received\"}"),
                    fleet.metric("fathom_fleet_bytes{direction=\"sent\"}"));
        }
    }

    /// Both know that they know everything.
    private void awaitSettled() {
        for (var cluster : List.of("west", "east")) {
            await().untilAsserted(() ->
                    assertThat(plane(cluster).text("/debug/problemz")).doesNotContain("fleet-"));
            await().untilAsserted(() -> assertThat(known(cluster, cluster.equals("west") ? "east" : "west")
                            .path("syncStatus")
                            .asText())
                    .isEqualTo("synced"));
        }
    }
}
