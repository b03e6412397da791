// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.trust.TrustRoot;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.trust.TrustBundleObject;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Cases of fleets by their numbers: a management server and three agents, real processes on folders.
@Tag("slow")
class FleetIT {
    private static final List<String> CLUSTERS = List.of("west", "east", "south");
    private static final List<String> ALL =
            List.of("istio-remote-peer-east", "istio-remote-peer-south", "istio-remote-peer-west");

    private final FleetProcesses fleet = new FleetProcesses();

    @AfterEach
    void stop() {
        fleet.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(FleetProcesses.PATIENCE).pollInterval(Duration.ofMillis(100));
    }

    private static String address(String cluster) {
        return "10.77." + CLUSTERS.indexOf(cluster) + ".1";
    }

    /// The three clusters, each with one command.
    private void join() {
        fleet.startServer();
        CLUSTERS.forEach(cluster -> {
            fleet.write(cluster, address(cluster), "");
            var _ = fleet.startAgent(cluster, "--token=" + fleet.token(cluster));
        });
        awaitAll();
    }

    private void awaitAll() {
        await().untilAsserted(() -> {
            for (var cluster : CLUSTERS) {
                assertThat(fleet.gateways(cluster))
                        .as("%s: %s", cluster, fleet.log(cluster))
                        .isEqualTo(ALL);
            }
        });
    }

    private String text(String cluster, String peer) {
        return read(fleet.gateway(cluster, peer));
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void case32_whenThreeClustersJoin_thenEachHasNineGatewaysBetweenThem_andFathomdFollowsTheOthers() {
        join();

        assertThat(text("west", "east"))
                .contains("10.77.1.1")
                .contains("net-east")
                .contains("uid-east")
                .contains("istio-remote");
        assertThat(fleet.fathomctl("status")).contains("west", "east", "south", "10.77.2.1:15008", "member");
        assertThat(fleet.serverMetrics()).contains("fathom_fleet_streams 3");
        copyOwn("west");
        try (var fathomd = RunningFathomd.on(fleet.folder("west/gateways"), Map.of("CLUSTER_ID", "west"))) {
            // its own description is never taken for a peer
            await().untilAsserted(() -> assertThat(fathomd.text("/debug/clusterz"))
                    .contains("east", "south")
                    .containsOnlyOnce("\"west\""));
            assertThat(fathomd.text("/debug/problemz")).doesNotContain("peer-gateway-", "unknown-mark");
        }

        // an address changes: everybody follows
        fleet.write("east", "10.77.9.9", "");
        await().untilAsserted(() -> Stream.of("west", "south", "east")
                .forEach(cluster -> assertThat(text(cluster, "east")).contains("10.77.9.9")));

        // an audience: one of the others forgets
        fleet.write("east", "10.77.9.9", "fleet.fathom.io/distribute-to: west");
        await().untilAsserted(() -> {
            assertThat(text("south", "east")).isEmpty();
            assertThat(text("west", "east")).contains("10.77.9.9");
        });
    }

    @Test
    void givenClustersWithRootsOfTheirOwn_whenTheyJoin_thenEachHasTheOthers_alsoAfterAChange_untilTheyLeave() {
        var old = root();
        var both = root() + old;
        fleet.put("west/root.pem", root());
        fleet.put("east/root.pem", old);
        fleet.startServer();
        for (var cluster : List.of("west", "east")) {
            fleet.write(cluster, address(cluster), "");
            var _ = fleet.startAgent(
                    cluster,
                    "--token=" + fleet.token(cluster),
                    "--trust-domain=" + cluster + ".example",
                    "--root-file=" + fleet.folder(cluster + "/root.pem"));
        }
        await().untilAsserted(() -> assertThat(roots("west", "east")).hasSize(1));
        await().untilAsserted(() -> assertThat(roots("east", "west")).hasSize(1));

        // what the control plane makes of it
        try (var fathomd = RunningFathomd.on(fleet.folder("west/gateways"), Map.of("CLUSTER_ID", "west"))) {
            assertThat(fathomd.text("/debug/problemz")).doesNotContain("trust-");
        }

        // another one, with overlap; a file that cannot be read takes nothing away
        fleet.put("east/root.pem", both);
        await().untilAsserted(() -> assertThat(roots("west", "east")).hasSize(2));
        fleet.put("east/root.pem", "no root at all");
        fleet.write("east", "10.77.9.9", "");
        await().untilAsserted(() -> assertThat(text("west", "east")).contains("10.77.9.9"));
        assertThat(roots("west", "east")).hasSize(2);

        // somebody who says to be in a domain that is taken; his gateway counts all the same
        fleet.put("south/root.pem", root());
        fleet.write("south", address("south"), "");
        var _ = fleet.startAgent(
                "south",
                "--token=" + fleet.token("south"),
                "--trust-domain=east.example",
                "--root-file=" + fleet.folder("south/root.pem"));
        await().untilAsserted(() -> assertThat(fleet.agent("south").toString()).contains("trust-domain-taken"));
        await().untilAsserted(() -> assertThat(text("west", "south")).contains(address("south")));
        assertThat(fleet.folder("west/gateways/" + bundle("south"))).doesNotExist();

        var _ = fleet.fathomctl("leave", "east");
        await().untilAsserted(() -> {
            assertThat(fleet.folder("west/gateways/" + bundle("east"))).doesNotExist();
            assertThat(fleet.folder("east/gateways/" + bundle("west"))).doesNotExist();
        });
    }

    private static String root() {
        return Pem.encode(
                RootCertificate.create(KeyAlgorithm.P256.generate(), "test", Instant.now(), Duration.ofDays(1)));
    }

    private static String bundle(String peer) {
        return "configmap_istio-system_istio-trust-peer-" + peer + ".yaml";
    }

    /// What a cluster was told of another one's roots.
    private List<TrustRoot> roots(String cluster, String peer) {
        var text = read(fleet.folder(cluster + "/gateways/" + bundle(peer)));
        if (text.isEmpty()) {
            return List.of();
        }
        var trust = TrustBundleObject.read(Json.parse("bundle", text));
        assertThat(trust.bundle().trustDomain()).isEqualTo(peer + ".example");
        return trust.bundle().roots();
    }

    @Test
    void whenAServerIsPrepared_thenAClusterJoinsItWithOneCommand() throws IOException {
        var prepared = Json.parse(
                "init",
                fleet.fathomctl("init", "--state-dir", fleet.folder("server").toString(), "-o", "json"));
        assertThat(fleet.folder("server")).isNotEmptyDirectory();
        fleet.startServer();
        fleet.write("west", address("west"), "");

        var told = fleet.fathomctl(
                "join",
                "west",
                "--server=127.0.0.1:" + fleet.port(),
                "--manifests=" + fleet.folder("west/manifests"),
                "--state-dir=" + fleet.folder("west/state"),
                "-o",
                "json");
        var command = Field.root(Json.parse("join", told)).at("command").texts();
        assertThat(String.join(" ", command))
                .endsWith("." + Field.root(prepared).at("serverKey").text()); // the token names it
        var _ = fleet.startAgentAs("west", command);
        await().until(() -> fleet.cluster("west").path("connected").asBoolean());
        await().until(() -> !read(fleet.folder("west/manifests/fleet")
                        .resolve(fleet.gateway("west", "west").getFileName()))
                .isEmpty());

        // again, for a member
        assertThat(fleet.fathomctl("join", "west", "--manifests=" + fleet.folder("west/manifests")))
                .contains("it needs no token", "fathom-agent --server 127.0.0.1:9900 --cluster-id west")
                .doesNotContain("fjt1.");
    }

    private void copyOwn(String cluster) {
        fleet.put(cluster + "/gateways/own.yaml", read(fleet.folder(cluster + "/manifests/gateway.yaml")));
    }

    @Test
    void case33_givenATokenThatIsNotGood_thenTheClusterIsRefused() throws InterruptedException {
        fleet.startServer();
        CLUSTERS.forEach(cluster -> fleet.write(cluster, address(cluster), ""));
        var token = fleet.token("west");
        var _ = fleet.startAgent("west", "--token=" + token);
        await().until(() -> fleet.agent("west").path("phase").asText().equals("connected"));

        refused("east", fleet.token("west"), "token-wrong-name", "for cluster west");
        refused("east", fleet.token("east", "--ttl=1ms"), "token-expired", "good until");
        var east = fleet.token("east");
        var parts = east.split("\\.", -1);
        refused(
                "east",
                String.join(".", parts[0], parts[1], "A".repeat(43), parts[3]),
                "token-unknown",
                "did not issue");
        refused(
                "east",
                String.join(".", parts[0], parts[1], parts[2], "A".repeat(43)),
                "wrong-server-key",
                "another key than the token names");
        // used up by another key: what a thief of the token would find
        var _ = fleet.startAgent("east", "--token=" + east);
        await().until(() -> fleet.agent("east").path("phase").asText().equals("connected"));
        fleet.kill("east");
        refused("east", east, "token-used", "has been used", "--state-dir=" + fleet.folder("thief"));
        assertThat(fleet.serverMetrics()).contains("event=\"token-used\"} 1");
        assertThat(read(fleet.folder("server/tokens").resolve(parts[1])))
                .contains("hash")
                .doesNotContain(parts[2]);
    }

    private void refused(String cluster, String token, String code, String words, String... flags)
            throws InterruptedException {
        var all = Stream.concat(Stream.of("--token=" + token), Stream.of(flags)).toArray(String[]::new);
        var agent = fleet.startAgent(cluster, all);

        assertThat(agent.waitFor(FleetProcesses.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(fleet.log(cluster)).as(code).contains(words);
        assertThat(agent.exitValue()).as(code).isEqualTo(1);
    }

    @Test
    void case34And35_givenACopiedKey_orForgedFacts_thenTheyDoNotCount() throws IOException {
        join();

        // the key of west, in another cluster
        fleet.kill("west");
        var _ = fleet.startAgent("west", "--cluster-uid=uid-thief");
        await().untilAsserted(() -> assertThat(fleet.serverMetrics()).contains("event=\"cluster-uid-mismatch\""));
        assertThat(fleet.agent("west").path("problems").toString()).contains("cluster-uid-mismatch");
        fleet.kill("west");
        var _ = fleet.startAgent("west");
        await().until(() -> fleet.agent("west").path("phase").asText().equals("connected"));

        // networks, trust domains and addresses of others, and such as nobody can dial
        var manifest = fleet.folder("west/manifests/gateway.yaml");
        var good = Files.readString(manifest);
        forged("west", good.replace("net-west", "net-east"), "network-not-registered");
        forged("west", good.replace(address("west"), address("east")), "address-taken");
        forged("west", good.replace(address("west"), "127.0.0.1"), "address-refused");
        assertThat(text("east", "west")).contains(address("west")).doesNotContain("net-east");
        fleet.kill("west");
        fleet.write("west", address("west"), "");
        var _ = fleet.startAgent("west", "--trust-domain=east.local");
        await().untilAsserted(() ->
                assertThat(fleet.agent("west").path("problems").toString()).contains("trust-domain-not-registered"));
        assertThat(text("east", "west")).contains("cluster.local").doesNotContain("east.local");
    }

    private void forged(String cluster, String manifest, String code) {
        fleet.put(cluster + "/manifests/gateway.yaml", manifest);
        await().untilAsserted(() ->
                assertThat(fleet.agent(cluster).path("problems").toString()).contains(code));
    }

    @Test
    void case40And41_givenNoServer_thenEverythingStays_alsoOverAStart_andItIsCaughtUpLater() {
        join();
        var before = text("west", "east");
        fleet.kill("server");
        await().until(() -> fleet.agent("west").path("phase").asText().equals("disconnected"));

        // a copy that is deleted by hand comes back, from what the agent knows
        delete(fleet.gateway("west", "east"));
        await().untilAsserted(() -> assertThat(text("west", "east")).isEqualTo(before));

        // also when the agent has started anew meanwhile
        fleet.kill("west");
        delete(fleet.gateway("west", "east"));
        var _ = fleet.startAgent("west");
        await().untilAsserted(() -> assertThat(text("west", "east")).isEqualTo(before));
        assertThat(fleet.gateways("west")).isEqualTo(ALL);

        // what changes meanwhile is told later, to a server that has kept everything
        fleet.write("south", "10.77.8.8", "");
        fleet.startServer();
        await().untilAsserted(() -> assertThat(text("west", "south")).contains("10.77.8.8"));
        awaitAll();
        assertThat(fleet.cluster("east").path("standing").asText()).isEqualTo("MEMBER");
    }

    @Test
    void case44_whenAClusterLeaves_thenItsGatewaysGoEverywhere_andWhenItCrashesNoneGo() {
        join();
        fleet.put("west/manifests/manual.yaml", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: istio-remote-peer-hand, namespace: istio-eastwest}
                spec:
                  gatewayClassName: istio-remote
                  addresses: [{type: IPAddress, value: 10.4.5.6}]
                  listeners: [{name: hbone, port: 15008, protocol: HBONE}]
                """);
        fleet.kill("south");
        await().until(() -> !fleet.cluster("south").path("connected").asBoolean());
        assertThat(fleet.gateways("west")).isEqualTo(ALL);

        // east leaves while west is away: west hears of it when it is back
        fleet.kill("west");
        assertThat(fleet.fathomctl("leave", "east")).contains("has left");
        await().untilAsserted(() -> assertThat(fleet.gateways("east")).isEmpty());
        assertThat(fleet.agent("east").path("phase").asText()).isEqualTo("left");
        assertThat(fleet.gateways("west")).isEqualTo(ALL);
        var _ = fleet.startAgent("west");
        await().untilAsserted(() -> assertThat(fleet.gateways("west"))
                .containsExactly("istio-remote-peer-south", "istio-remote-peer-west"));
        assertThat(read(fleet.folder("west/manifests/manual.yaml"))).contains("istio-remote-peer-hand");

        // a manual Gateway for a cluster wins over ours, and ours comes back when it goes
        fleet.put("west/manifests/manual.yaml", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: by-hand, namespace: istio-eastwest, labels: {topology.istio.io/cluster: south}}
                spec:
                  gatewayClassName: istio-remote
                  addresses: [{type: IPAddress, value: 10.4.5.6}]
                  listeners: [{name: hbone, port: 15008, protocol: HBONE}]
                """);
        await().untilAsserted(() -> assertThat(fleet.gateways("west")).containsExactly("istio-remote-peer-west"));
        delete(fleet.folder("west/manifests/manual.yaml"));
        await().untilAsserted(() -> assertThat(fleet.gateways("west")).contains("istio-remote-peer-south"));
    }
}
