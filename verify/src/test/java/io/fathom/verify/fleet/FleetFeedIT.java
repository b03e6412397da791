// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.work.Parts;
import io.fathom.model.mesh.Identity;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.FeedUp;
import io.fathom.model.peering.ResourceDelta;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.wire.dial.GrpcStream;
import io.fathom.wire.peering.FeedClient;
import io.fathom.wire.peering.OriginBook;
import io.fathom.wire.peering.PeerClient;
import io.fathom.wire.peering.PeerSink;
import io.fathom.wire.peering.PeerTarget;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two clusters, and in the second what an agent does: it hears what the first one exports and tells its own control
/// plane. Case 53: that serves the same as one that asks the first cluster itself.
class FleetFeedIT {
    @TempDir
    private Path folder;

    private final Parts parts = new Parts();
    private final SystemTimeline timeline = parts.keep(new SystemTimeline());
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final OriginBook book = new OriginBook();
    private RunningFathomd east;

    @BeforeEach
    void start() throws IOException {
        var keys = KeyAlgorithm.P256.generate();
        var root = Pem.encode(
                RootCertificate.create(keys, "cluster.local", Instant.now().minusSeconds(60), Duration.ofDays(1)));
        for (var name : List.of("ca-cert.pem", "cert-chain.pem", "root-cert.pem")) {
            write("ca/" + name, root);
        }
        write("ca/ca-key.pem", Pem.encode(keys.getPrivate()));
        network("east");
        services(2);
        east = fathomd("east");
    }

    @AfterEach
    void stop() {
        parts.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private RunningFathomd fathomd(String cluster) {
        return parts.keep(RunningFathomd.on(
                folder.resolve(cluster),
                Map.of(
                        "ROOT_CA_DIR",
                        folder.resolve("ca").toString(),
                        "CLUSTER_ID",
                        cluster,
                        "ENABLE_PEERING_DISCOVERY",
                        "true")));
    }

    private void write(String path, String text) {
        try {
            var file = folder.resolve(path);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void network(String cluster) {
        write(cluster + "/namespaces.yaml", """
                {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: net-%s}}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}}
                """.formatted(cluster));
    }

    /// What east has: a cart with so many pods, and a database that others call by its mesh-wide name.
    private void services(int pods) {
        var text = new StringBuilder(service("cart", "istio.io/global: \"true\""))
                .append(service("db", "solo.io/service-scope: global"));
        for (var i = 1; i <= pods; i++) {
            text.append(pod("cart", i)).append(pod("db", i + 100));
        }
        write("east/services.yaml", text.toString());
    }

    private static String service(String name, String label) {
        return """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: shop, labels: {%2$s}}
                spec: {clusterIP: 10.96.0.%3$d, selector: {app: %1$s}, ports: [{name: http, port: 80, targetPort: 8080}]}
                ---
                """.formatted(name, label, name.length());
    }

    private static String pod(String app, int number) {
        return """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s-%2$d
                  namespace: shop
                  labels: {app: %1$s}
                  annotations: {ambient.istio.io/redirection: enabled}
                spec: {serviceAccountName: %1$s, nodeName: n, containers: [{name: app, image: app}]}
                status: {phase: Running, podIP: 10.1.0.%2$d, podIPs: [{ip: 10.1.0.%2$d}], conditions: [{type: Ready, status: "True"}]}
                ---
                """.formatted(app, number);
    }

    /// A cluster with a Gateway for east, and its own cart.
    private RunningFathomd other(String cluster, String services) {
        network(cluster);
        write(cluster + "/cart.yaml", service("cart", "istio.io/global: \"true\""));
        peer(cluster, services);
        return fathomd(cluster);
    }

    private void peer(String cluster, String services) {
        write(cluster + "/peer.yaml", """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata:
              name: istio-remote-peer-east
              namespace: istio-eastwest
              labels: {topology.istio.io/network: net-east, topology.istio.io/cluster: east}
              annotations: {gateway.istio.io/service-account: istio-eastwest, fleet.fathom.io/services: %s}
            spec:
              gatewayClassName: istio-remote
              addresses: [{type: IPAddress, value: 127.0.0.1}]
              listeners:
              - {name: cross-network, port: 15008, protocol: HBONE}
              - {name: xds-tls, port: %d, protocol: TLS, tls: {mode: Passthrough}}
            """.formatted(services, east.tlsPort()));
    }

    /// Hears what east exports, and puts it into the book.
    private void listen() {
        var _ = parts.keep(PeerClient.start(settings("east", "fathom-agent"), target("east", east), new PeerSink() {
            @Override
            public void cluster(ClusterSummary summary) {
                tell(Optional.of(summary), ResourceDelta.none(), FeedUp.OriginPart.MORE);
            }

            @Override
            public void services(List<ServiceSummary> changed, List<String> gone) {
                tell(Optional.empty(), new ResourceDelta<>(changed, gone), FeedUp.OriginPart.MORE);
            }

            @Override
            public void complete() {
                tell(Optional.empty(), ResourceDelta.none(), FeedUp.OriginPart.LAST);
                book.settle();
            }

            @Override
            public void endpoints(List<ServiceEndpoints> changed, List<String> gone) {}
        }));
    }

    private void tell(Optional<ClusterSummary> about, ResourceDelta<ServiceSummary> services, FeedUp.OriginPart part) {
        book.tell(new FeedUp.Origin("east", about, services, ResourceDelta.none(), part));
    }

    private FeedClient feed(String cluster, RunningFathomd fathomd) {
        return feed(cluster, fathomd, cluster);
    }

    private FeedClient feed(String cluster, RunningFathomd fathomd, String claimed) {
        return parts.keep(FeedClient.start(
                settings(cluster, "fathom-agent"),
                target(cluster, fathomd),
                new FeedUp.Hello("test", "test", claimed),
                book,
                () -> {}));
    }

    private PeerClient.PeerSettings settings(String cluster, String account) {
        return new PeerClient.PeerSettings(
                cluster,
                () -> "",
                "istio-system",
                account,
                (host, target, method, listener, loop) ->
                        GrpcStream.openInClear(host, target.port(), method, listener, loop),
                timeline,
                loops.next());
    }

    private static PeerTarget target(String cluster, RunningFathomd fathomd) {
        return new PeerTarget(
                cluster,
                List.of("127.0.0.1"),
                fathomd.plaintextPort(),
                Set.of(new Identity("cluster.local", "istio-system", "istiod")),
                Set.of());
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(50));
    }

    /// What node proxies get, without what names the cluster that is served.
    private static Set<String> served(RunningFathomd fathomd, String cluster) {
        var all = new TreeSet<String>();
        var mesh = fathomd.json("/debug/ambientz");
        for (var kind : List.of("workloads", "services", "policies")) {
            mesh.path(kind).forEach(resource -> all.add(resource.toString().replace(cluster, "SELF")));
        }
        return all;
    }

    private static boolean hasRemote(RunningFathomd fathomd, int capacity) {
        return stream(fathomd.json("/debug/ambientz").path("workloads"))
                .anyMatch(workload -> workload.path("uid").asText().contains("SplitHorizonWorkload")
                        && workload.path("uid").asText().endsWith("shop/cart.shop.svc.cluster.local")
                        && workload.path("capacity").asInt(1) == capacity);
    }

    private static Stream<JsonNode> stream(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false);
    }

    private static JsonNode cluster(RunningFathomd fathomd) {
        return stream(fathomd.json("/debug/clusterz"))
                .filter(row -> row.path("id").asText().equals("east"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void case53_givenTheAgent_thenTheSameIsServedAsWhenTheClusterIsAsked_andChangesAreFollowed() {
        var direct = other("west-1", "peer");
        var fed = other("west-2", "agent");
        await().until(() -> hasRemote(direct, 2));
        // nobody has told it anything: it does not ask, and says so
        assertThat(cluster(fed).path("syncStatus").asText()).isEqualTo("syncing");
        assertThat(fed.text("/debug/problemz")).contains("fleet-agent-away");

        listen();
        var _ = feed("west-2", fed);
        await().untilAsserted(() -> assertThat(served(fed, "west-2")).isEqualTo(served(direct, "west-1")));
        assertThat(direct.text("/debug/ambientz")).contains("db.shop.mesh.internal");
        assertThat(served(fed, "west-2").toString()).contains("db.shop.mesh.internal");
        assertThat(cluster(fed).path("secretName").asText()).isEqualTo("Fleet");
        assertThat(cluster(direct).path("secretName").asText()).isEqualTo("Gateway");
        assertThat(fed.text("/debug/problemz")).doesNotContain("fleet-", "peer-");

        services(5);
        await().until(() -> hasRemote(fed, 5));
        await().untilAsserted(() -> assertThat(served(fed, "west-2")).isEqualTo(served(direct, "west-1")));
    }

    @Test
    void whenTheFleetTakesOver_andGoesAway_thenNothingThatIsServedChanges() {
        var west = other("west", "peer");
        await().until(() -> hasRemote(west, 2));
        var before = served(west, "west");

        listen();
        var agent = feed("west", west);
        await().untilAsserted(() -> {
            assertThat(served(west, "west")).isEqualTo(before);
            assertThat(cluster(west).path("secretName").asText()).isEqualTo("Fleet");
            assertThat(cluster(west).path("syncStatus").asText()).isEqualTo("synced");
        });
        services(3);
        await().until(() -> hasRemote(west, 3));
        var then = served(west, "west");

        agent.close();
        await().untilAsserted(() -> assertThat(west.text("/debug/problemz")).contains("fleet-agent-away"));
        await().untilAsserted(() ->
                assertThat(cluster(west).path("ageSeconds").asInt()).isPositive());
        assertThat(served(west, "west")).isEqualTo(then);

        // an agent that knows nothing of east yet takes nothing away
        var forgetful = new OriginBook();
        forgetful.settle();
        var empty = parts.keep(FeedClient.start(
                settings("west", "fathom-agent"),
                target("west", west),
                new FeedUp.Hello("other", "test", "west"),
                forgetful,
                () -> {}));
        await().untilAsserted(() -> assertThat(west.text("/debug/problemz")).doesNotContain("fleet-agent-away"));
        assertThat(served(west, "west")).isEqualTo(then);

        // a service that went meanwhile is gone as soon as all of it has been told
        empty.close();
        write("east/services.yaml", service("cart", "istio.io/global: \"true\"") + pod("cart", 1));
        var _ = feed("west", west);
        await().untilAsserted(
                        () -> assertThat(served(west, "west").toString()).doesNotContain("db.shop.mesh.internal"));

        // one that leaves the fleet while its Gateway stays: an operator's, who wants it to be asked
        book.forget("east");
        await().until(() -> cluster(west).path("secretName").asText().equals("Gateway"));
        await().until(() -> hasRemote(west, 1));
    }

    @Test
    void givenAnAgentOfAnotherCluster_thenItIsRefused() {
        var west = other("west", "agent");
        var agent = feed("west", west, "north");

        await().untilAsserted(() -> assertThat(agent.standing().trouble().toString())
                .contains("feed-of-another-cluster", "the agent is that of cluster north", "--cluster-id west"));
    }
}
