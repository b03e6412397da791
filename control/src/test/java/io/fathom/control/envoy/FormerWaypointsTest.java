// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What the proxies of a waypoint are told of a service and a workload that leave it.
@SuppressWarnings("NullAway.Init")
final class FormerWaypointsTest {
    private static final String GATEWAY = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: %1$s, namespace: shop, labels: {istio.io/waypoint-for: all}}
            spec: {gatewayClassName: istio-waypoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
            status: {addresses: [{type: Hostname, value: %1$s.shop.svc.cluster.local}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: %1$s, namespace: shop}
            spec: {clusterIP: 10.0.0.%2$d, ports: [{name: mesh, port: 15008}]}
            """;
    private static final String WEB = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop, labels: {%s}}
            spec: {clusterIP: 10.0.0.1, ports: [{name: http, port: 80}]}
            """;
    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata:
              name: web-1
              namespace: shop
              labels: {%s}
              annotations: {ambient.istio.io/redirection: enabled}
            spec: {nodeName: node, serviceAccountName: web, containers: [{name: main, image: none}]}
            status: {phase: Running, podIP: 10.1.0.77, conditions: [{type: Ready, status: "True"}]}
            """;
    private static final ObjectKey ONE = new ObjectKey("Kubernetes", "shop", "one");

    private final ManifestReader reader =
            new ManifestReader(ReaderConfig.of("Kubernetes", "", "istio-system").ofApiServer());
    private final List<Map<String, Long>> left = new ArrayList<>();
    private AmbientMesh mesh;
    private EnvoyMesh envoys;
    private ResourceStore one;
    private ResourceStore two;

    @BeforeEach
    void start() {
        start(FormerWaypoints.Keeping.UNTIL_FORGOTTEN);
    }

    private void start(FormerWaypoints.Keeping keeping) {
        var made = new AtomicReference<@Nullable EnvoyMesh>();
        mesh = new AmbientMesh(
                AmbientConfig.defaults(),
                flow -> made.set(new EnvoyMesh(flow, InstantSource.fixed(Instant.EPOCH), keeping)));
        envoys = requireNonNull(made.get());
        var _ = mesh.subscribe(envoys);
        var _ = mesh.subscribe(commit -> {
            var turns = new HashMap<String, Long>();
            commit.changes(envoys.former().table())
                    .forEach(change ->
                            change.current().ifPresent(row -> turns.put(change.key(), Collections.max(row.values()))));
            left.add(turns);
        });
        apply(GATEWAY.formatted("one", 11), GATEWAY.formatted("two", 12), WEB.formatted(use("one")));
        one = feed("one");
        two = feed("two");
        assertThat(serves(one)).isTrue();
        assertThat(serves(two)).isFalse();
    }

    private static String use(String waypoint) {
        return "istio.io/use-waypoint: " + waypoint;
    }

    private void apply(String... manifests) {
        var batch = new ArrayList<ManifestChange>();
        for (var document : Documents.ofYaml("test.yaml", String.join("---\n", manifests), Limits.DEFAULT)) {
            for (var reading : reader.read(((Document.Parsed) document).root(), _ -> Instant.EPOCH)) {
                batch.add(new ManifestChange.Put(((Reading.Good) reading).manifest()));
            }
        }
        mesh.apply(batch);
    }

    private ResourceStore feed(String waypoint) {
        return envoys.feed(new ClientNode(
                        "waypoint~10.0.0.7~p-1.shop~shop.svc.cluster.local",
                        ClientNode.Type.WAYPOINT,
                        "10.0.0.7",
                        "p-1.shop",
                        "shop.svc.cluster.local",
                        Map.of("NAMESPACE", "shop"),
                        Map.of(Groups.GATEWAY_NAME, waypoint)))
                .orElseThrow();
    }

    private static boolean serves(ResourceStore store) {
        return mentions(store, "web.shop.svc");
    }

    /// Whether its listeners do.
    private static boolean mentions(ResourceStore store, String text) {
        var found = new ArrayList<String>();
        store.head().resources(XdsType.LISTENER).forEach((name, resource) -> {
            if (new String(resource.body(), StandardCharsets.UTF_8).contains(text)) {
                found.add(name);
            }
        });
        return !found.isEmpty();
    }

    @Test
    void whenAServiceLeaves_thenItsWaypointServesItUntilItIsForgotten() {
        apply(WEB.formatted(""));
        assertThat(serves(one)).isTrue();
        envoys.former().forget(left.getLast());
        assertThat(serves(one)).isFalse();
    }

    @Test
    void whenItMoves_thenBothServeIt() {
        apply(WEB.formatted(use("two")));
        assertThat(serves(one)).isTrue();
        assertThat(serves(two)).isTrue();
        envoys.former().forget(left.getLast());
        assertThat(serves(one)).isFalse();
        assertThat(serves(two)).isTrue();
    }

    @Test
    void whenItComesBackAndLeavesAgain_thenWhatIsSaidOfTheFirstTimeDoesNotCount() {
        apply(WEB.formatted(""));
        var first = left.getLast();
        apply(WEB.formatted(use("one")));
        apply(WEB.formatted(""));
        var second = left.getLast();
        envoys.former().forget(first);
        assertThat(serves(one)).isTrue();
        envoys.former().forget(second);
        assertThat(serves(one)).isFalse();
    }

    @Test
    void whenItComesBack_thenForgettingIsOfNoConsequence() {
        apply(WEB.formatted(""));
        var first = left.getLast();
        apply(WEB.formatted(use("one")));
        envoys.former().forget(first);
        assertThat(serves(one)).isTrue();
    }

    @Test
    void whenAWorkloadLeaves_thenLikewise() {
        apply(POD.formatted(use("one")));
        assertThat(mentions(one, "10.1.0.77")).isTrue();
        apply(POD.formatted(""));
        assertThat(mentions(one, "10.1.0.77")).isTrue();
        envoys.former().forget(left.getLast());
        assertThat(mentions(one, "10.1.0.77")).isFalse();
    }

    @Test
    void whenTheGatewayIsRemoved_thenItsProxiesKeepAllUntilTheyAreDismissed() {
        mesh.apply(List.of(new ManifestChange.Remove(GatewayManifest.class, ONE)));
        assertThat(serves(one)).isTrue();
        assertThat(envoys.departing()).containsExactly(ONE);
        envoys.dismiss(Set.of(ONE));
        assertThat(serves(one)).isFalse();
        assertThat(envoys.departing()).isEmpty();
    }

    @Test
    void whenTheGatewayComesBack_thenItsProxiesHaveWhatIsNew() {
        mesh.apply(List.of(new ManifestChange.Remove(GatewayManifest.class, ONE)));
        var gone = left.getLast();
        apply(WEB.formatted(""));
        envoys.former().forget(gone);
        apply(GATEWAY.formatted("one", 11));
        assertThat(envoys.departing()).isEmpty();
        assertThat(one.head().resources(XdsType.LISTENER).containsKey("main_internal"))
                .isTrue();
        assertThat(serves(one)).isFalse();
    }

    @Test
    void givenNobodyWhoCares_thenWhatLeavesIsGoneAtOnce() {
        start(FormerWaypoints.Keeping.NOT_AT_ALL);
        apply(WEB.formatted(""));
        assertThat(serves(one)).isFalse();
    }
}
