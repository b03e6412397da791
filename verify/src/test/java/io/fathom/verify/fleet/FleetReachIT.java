// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.model.mesh.Identity;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.envoy.EchoPod;
import io.fathom.verify.envoy.LabAuthority;
import io.fathom.verify.envoy.LabLink;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Case 37: what three clusters find at each other's gateways, as the management server shows it. A server and agents
/// as processes; each cluster has a control plane that shakes hands over real sockets, and a key of its own below one
/// root.
@Tag("slow")
class FleetReachIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Identity GATEWAY = new Identity("cluster.local", "istio-eastwest", "istio-eastwest");

    private final FleetProcesses fleet = new FleetProcesses();
    private final LabLink link = new LabLink();
    private final LabAuthority root = new LabAuthority();
    private final Map<String, LabAuthority> authorities = Map.of(
            "west", root.intermediate("west"),
            "east", root.intermediate("east"),
            "south", root.intermediate("south"));
    private final Map<String, String> addresses =
            Map.of("west", link.addPod(), "east", link.addPod(), "south", link.addPod());
    private final Map<String, RunningFathomd> planes = new HashMap<>();
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

    @AfterEach
    void stop() {
        try (var _ = link;
                var _ = fleet) {
            planes.values().forEach(RunningFathomd::close);
        }
        var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(FleetProcesses.PATIENCE).pollInterval(Duration.ofMillis(100));
    }

    private void join(String cluster) throws IOException {
        fleet.write(cluster, Objects.requireNonNull(addresses.get(cluster)), "");
        fleet.put(cluster + "/manifests/namespaces.yaml", """
                {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: net-%s}}}
                """.formatted(cluster));
        fleet.put(cluster + "/gateways/.keep", "");
        var plugged = Objects.requireNonNull(authorities.get(cluster)).plug(fleet.folder(cluster + "/ca"));
        var plane = RunningFathomd.on(
                Path.of(fleet.folder(cluster + "/manifests") + "," + fleet.folder(cluster + "/gateways")),
                Map.of("ROOT_CA_DIR", plugged.toString(), "CLUSTER_ID", cluster));
        planes.put(cluster, plane);
        var _ = fleet.startAgent(
                cluster,
                "--token=" + fleet.token(cluster),
                "--control-plane=http://127.0.0.1:" + plane.plaintextPort());
    }

    private EchoPod gateway(String at, String of) {
        return new EchoPod(
                "gateway",
                Objects.requireNonNull(addresses.get(at)),
                GATEWAY,
                Objects.requireNonNull(authorities.get(of)),
                loops);
    }

    private static JsonNode named(JsonNode list, String name) {
        return StreamSupport.stream(list.spliterator(), false)
                .filter(one -> one.path("name").asText().equals(name))
                .findFirst()
                .orElse(JSON.createObjectNode());
    }

    private JsonNode from(String cluster) {
        try {
            return named(JSON.readTree(fleet.fathomctl("reach", "-o", "json")).path("clusters"), cluster);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private JsonNode reach(String from, String to) {
        return named(from(from).path("peers"), to);
    }

    private void awaitReach(String from, String to, String verdict, String code) {
        await().untilAsserted(() -> {
            var reach = reach(from, to);
            assertThat(reach.path("verdict").asText()).as("%s", reach).isEqualTo(verdict);
            assertThat(reach.at("/gateways/0/code").asText()).as("%s", reach).isEqualTo(code);
        });
    }

    @Test
    void case37_givenGatewaysThatAnswer_thatAreSilent_andThatAreAnotherClusters_thenTheMatrixTells()
            throws IOException {
        fleet.startServer();
        // the address of south has been given to another gateway of east; nobody is at that of west
        try (var east = gateway("east", "east");
                var south = gateway("south", "east")) {
            assertThat(List.of(east, south)).hasSize(2);
            for (var cluster : List.of("west", "east", "south")) {
                join(cluster);
            }
            awaitReach("west", "east", "reachable", "");
            awaitReach("south", "east", "reachable", "");
            assertThat(reach("west", "east").at("/gateways/0/identity").asText())
                    .isEqualTo(GATEWAY.uri());
            assertThat(reach("west", "east").at("/gateways/0/roundTripMicros").asLong())
                    .isPositive();
            awaitReach("west", "south", "down", "gateway-is-another-cluster");
            awaitReach("east", "south", "down", "gateway-is-ourselves");
            awaitReach("east", "west", "down", "gateway-unreachable");
            assertThat(fleet.fathomctl("reach"))
                    .contains("FROM / TO")
                    .contains("west -> south at " + addresses.get("south") + ":15008, down since")
                    .contains("is a gateway of cluster east, not of cluster south");
            assertThat(fleet.serverMetrics()).contains("fathom_fleet_reach{cluster=\"west\",verdict=\"down\"} 1");
        }

        // nothing new is heard of a cluster: what it said stays, and is known to be old
        fleet.kill("south");
        var then = from("south").path("asOf").asText();
        await().untilAsserted(() ->
                assertThat(from("south").path("ageSeconds").asLong()).isPositive());
        assertThat(from("south").path("asOf").asText()).isEqualTo(then);
        assertThat(reach("south", "west").path("verdict").asText()).isNotEmpty();

        // a server that knows nothing is told everything
        fleet.kill("server");
        fleet.startServer();
        awaitReach("east", "west", "down", "gateway-unreachable");
        assertThat(from("south").path("reports").asBoolean()).isFalse();

        var _ = fleet.fathomctl("leave", "west");
        await().untilAsserted(() -> assertThat(reach("east", "west").isEmpty()).isTrue());
        assertThat(from("west").isEmpty()).isTrue();
    }
}
