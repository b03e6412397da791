// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.ManifestApplier;
import io.fathom.verify.peers.RemoteSecretText;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Three clusters, each with a real API server and a control plane, joined by remote secrets, then by Gateways, then by
/// a fleet: how many connections leave each process, and where they go.
@Tag("slow")
@Tag("interop")
class SocketCountIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> CLUSTERS = List.of("west", "east", "south");

    private final FleetProcesses fleet = new FleetProcesses();
    private final Map<String, KubeApiServer> kubes = new LinkedHashMap<>();
    private final Map<String, List<Integer>> planes = new LinkedHashMap<>();

    @BeforeEach
    void start() {
        var keys = KeyAlgorithm.P256.generate();
        var root = Pem.encode(
                RootCertificate.create(keys, "cluster.local", Instant.now().minusSeconds(60), Duration.ofDays(1)));
        List.of("ca-cert.pem", "cert-chain.pem", "root-cert.pem").forEach(name -> fleet.put("ca/" + name, root));
        fleet.put("ca/ca-key.pem", Pem.encode(keys.getPrivate()));
        var starting = CLUSTERS.stream()
                .map(_ -> CompletableFuture.supplyAsync(() -> KubeApiServer.start(InstantSource.system())))
                .toList();
        for (var i = 0; i < CLUSTERS.size(); i++) {
            var cluster = CLUSTERS.get(i);
            kubes.put(cluster, starting.get(i).join());
            apply(cluster, objects(cluster, i));
            planes.put(
                    cluster,
                    fleet.startPlane(
                            kube(cluster).kubeconfig(),
                            cluster,
                            Map.of("ROOT_CA_DIR", fleet.folder("ca").toString(), "ENABLE_PEERING_DISCOVERY", "true")));
        }
    }

    @AfterEach
    void stop() {
        fleet.close();
        kubes.values().forEach(KubeApiServer::close);
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(FleetProcesses.PATIENCE).pollInterval(Duration.ofMillis(200));
    }

    private List<ManifestDocument> apply(String cluster, String text) {
        var documents = Stream.of(text.split("(?m)^---$"))
                .map(one -> ManifestDocument.parse(one).orElseThrow())
                .toList();
        new ManifestApplier(kube(cluster)).apply(documents);
        return documents;
    }

    /// A file with what the chart's agent has of its account.
    private Path accountToken(String cluster) {
        var kubectl = new ManifestApplier(kube(cluster));
        kubectl.run("", "create", "serviceaccount", "fathom-agent", "-n", "istio-system");
        var token = kubectl.run("", "create", "token", "fathom-agent", "-n", "istio-system", "--audience=istio-ca");
        fleet.put(cluster + "/token", token.strip());
        return fleet.folder(cluster + "/token");
    }

    private static List<String> others(String cluster) {
        return CLUSTERS.stream().filter(other -> !other.equals(cluster)).toList();
    }

    /// Each control plane knows that many clusters, its own among them, and all they have.
    private void awaitClusters(int count) {
        for (var cluster : CLUSTERS) {
            await().untilAsserted(() -> assertThat(states(cluster))
                    .as("%s: %s", cluster, fleet.log(cluster + "-plane"))
                    .hasSize(count)
                    .allMatch("synced"::equals));
        }
    }

    private List<String> states(String cluster) {
        try {
            var found = new ArrayList<String>();
            JSON.readTree(fleet.page(plane(cluster).get(2), "/debug/clusterz"))
                    .forEach(row -> found.add(row.path("syncStatus").asText()));
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Of all processes named, those that lead from one cluster into another, and those to the management server.
    private record SocketSums(int toApiServers, int toControlPlanes, int toFleet) {}

    private SocketSums count(List<String> kinds) {
        var apis = 0;
        var controls = 0;
        var servers = 0;
        for (var cluster : CLUSTERS) {
            var otherApis = ports(cluster, kube -> Set.of(kube(kube).port()));
            var otherPlanes = ports(cluster, plane -> Set.copyOf(plane(plane)));
            for (var kind : kinds) {
                var connections = Connections.of(fleet.process(cluster + kind));
                apis += connections.to(otherApis);
                controls += connections.to(otherPlanes);
                servers += connections.to(Set.of(fleet.port()));
            }
        }
        return new SocketSums(apis, controls, servers);
    }

    private static Set<Integer> ports(String cluster, Function<String, Set<Integer>> of) {
        return others(cluster).stream()
                .flatMap(other -> of.apply(other).stream())
                .collect(Collectors.toSet());
    }

    @Test
    void whenTheSameClustersAreJoinedByEachEra_thenAFleetHasOneConnectionForEach() {
        var counts = new TreeMap<String, SocketSums>();
        var secrets = new LinkedHashMap<String, List<ManifestDocument>>();
        for (var cluster : CLUSTERS) {
            var secret = RemoteSecretText.secret(
                    "istio-system",
                    "others",
                    others(cluster).stream()
                            .collect(Collectors.toMap(
                                    other -> other, other -> kube(other).portableKubeconfig())));
            new ManifestApplier(kube(cluster)).apply(List.of(secret));
            secrets.put(cluster, List.of(secret));
        }
        awaitClusters(CLUSTERS.size());
        counts.put("1 secrets", count(List.of("-plane")));
        var pairs = CLUSTERS.size() * (CLUSTERS.size() - 1);
        assertThat(counts.get("1 secrets").toApiServers()).isGreaterThanOrEqualTo(pairs);
        secrets.forEach((cluster, applied) -> new ManifestApplier(kube(cluster)).delete(applied));
        awaitClusters(1);
        await().untilAsserted(() -> assertThat(count(List.of("-plane"))).isEqualTo(new SocketSums(0, 0, 0)));

        var gateways = new LinkedHashMap<String, List<ManifestDocument>>();
        for (var cluster : CLUSTERS) {
            gateways.put(
                    cluster,
                    apply(
                            cluster,
                            others(cluster).stream()
                                    .map(other -> peer(other, plane(other).getFirst()))
                                    .collect(Collectors.joining("---\n"))));
        }
        awaitClusters(CLUSTERS.size());
        await().untilAsserted(() -> assertThat(count(List.of("-plane"))).isEqualTo(new SocketSums(0, pairs, 0)));
        counts.put("2 gateways", count(List.of("-plane")));
        gateways.forEach((cluster, applied) -> new ManifestApplier(kube(cluster)).delete(applied));
        awaitClusters(1);
        await().untilAsserted(() -> assertThat(count(List.of("-plane"))).isEqualTo(new SocketSums(0, 0, 0)));

        fleet.startServer();
        for (var cluster : CLUSTERS) {
            var _ = fleet.startAgentOn(
                    kube(cluster).kubeconfig(),
                    cluster,
                    "--token=" + fleet.token(cluster),
                    "--control-plane=https://127.0.0.1:" + plane(cluster).getFirst(),
                    "--control-plane-root=" + fleet.folder("ca/root-cert.pem"),
                    "--control-plane-token=" + accountToken(cluster));
        }
        awaitClusters(CLUSTERS.size());
        var one = new SocketSums(0, 0, CLUSTERS.size());
        await().untilAsserted(() -> assertThat(count(List.of("-plane", ""))).isEqualTo(one));
        counts.put("3 fleet", one);
        System.out.println(counts);
        // nothing leaves the management server
        var all = CLUSTERS.stream()
                .flatMap(cluster -> Stream.concat(Stream.of(kube(cluster).port()), plane(cluster).stream()))
                .collect(Collectors.toSet());
        assertThat(Connections.of(fleet.process("server")).to(all)).isZero();
    }

    private KubeApiServer kube(String cluster) {
        return Objects.requireNonNull(kubes.get(cluster));
    }

    /// The ports of a control plane: over TLS, without, and HTTP.
    private List<Integer> plane(String cluster) {
        return Objects.requireNonNull(planes.get(cluster));
    }

    private static String objects(String cluster, int number) {
        return """
            apiVersion: v1
            kind: Namespace
            metadata: {name: istio-system, labels: {topology.istio.io/network: net-%1$s}}
            ---
            apiVersion: v1
            kind: Namespace
            metadata: {name: istio-eastwest}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: istio-eastwest, namespace: istio-eastwest, labels: {topology.istio.io/network: net-%1$s}}
            spec:
              gatewayClassName: istio-east-west
              addresses: [{type: IPAddress, value: 10.77.%2$d.1}]
              listeners: [{name: mesh, port: 15008, protocol: HBONE, tls: {mode: Terminate, certificateRefs: [{name: x}]}}]
            """.formatted(cluster, number);
    }

    private static String peer(String cluster, int port) {
        return """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata:
              name: istio-remote-peer-%1$s
              namespace: istio-eastwest
              labels: {topology.istio.io/network: net-%1$s, topology.istio.io/cluster: %1$s}
              annotations: {gateway.istio.io/service-account: istio-eastwest}
            spec:
              gatewayClassName: istio-remote
              addresses: [{type: IPAddress, value: 127.0.0.1}]
              listeners:
              - {name: cross-network, port: 15008, protocol: HBONE}
              - {name: xds-tls, port: %2$d, protocol: TLS, tls: {mode: Passthrough}}
            """.formatted(cluster, port);
    }
}
