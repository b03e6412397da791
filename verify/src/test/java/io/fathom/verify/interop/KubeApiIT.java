// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.ProblemException;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.ManifestApplier;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.api.ClusterSource;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.api.MeshQueries;
import io.fathom.wire.kube.api.ObjectWatch.Change;
import io.fathom.wire.kube.core.EndpointSliceManifest;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.NodeManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Our client against a real API server.
@Tag("slow")
class KubeApiIT {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String REDIRECTION = "ambient.istio.io/redirection";

    /// Small pages and short watches: everything happens several times.
    private static final KubeSettings SETTINGS = new KubeSettings(
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofMillis(50),
            Duration.ofSeconds(1),
            3,
            Duration.ofSeconds(1));

    @AutoClose
    private static KubeApiServer cluster;

    @AutoClose
    private static KubeClient client;

    @BeforeAll
    static void start() {
        cluster = KubeApiServer.start(InstantSource.system());
        client = new KubeClient(KubeConfig.fromFile(cluster.kubeconfig()), SETTINGS);
    }

    @Test
    void whenObjectsChange_thenTheyCanBeReadListedPatchedAndDeleted() {
        namespace("basics");
        for (var i = 0; i < 8; i++) {
            pod("basics", "p" + i, i % 2 == 0 ? "n1" : "n2");
        }
        var all = KubeQuery.all(KubeResource.PODS).inNamespace("basics");
        assertThat(client.list(all).items())
                .extracting(KubeObject::name)
                .containsExactly("p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7");
        assertThat(client.list(all.withFields("spec.nodeName=n2")).items())
                .extracting(KubeObject::name)
                .containsExactly("p1", "p3", "p5", "p7");
        assertThat(client.list(all.withLabels("app in (p1,p2)")).items()).hasSize(2);

        var noted = client.patchStatus(KubeResource.PODS, "basics", "p1", note(Json.of("enabled")));
        assertThat(noted.orElseThrow()
                        .metadata()
                        .at("annotations")
                        .at(REDIRECTION)
                        .text())
                .isEqualTo("enabled");
        var removed = client.patchStatus(KubeResource.PODS, "basics", "p1", note(Json.NOTHING));
        assertThat(removed.orElseThrow()
                        .metadata()
                        .at("annotations")
                        .at(REDIRECTION)
                        .isPresent())
                .isFalse();
        assertThat(client.patchStatus(KubeResource.PODS, "basics", "none", note(Json.NOTHING)))
                .isEmpty();
        assertThat(client.patch(
                        KubeResource.PODS,
                        "basics",
                        "p2",
                        Json.of(Map.of("metadata", Map.of("labels", Map.of("x", "y"))))))
                .get()
                .satisfies(
                        pod -> assertThat(pod.metadata().at("labels").textMap()).containsEntry("x", "y"));

        assertThat(client.get(KubeResource.PODS, "basics", "p3").orElseThrow().kind())
                .isEqualTo("Pod");
        assertThat(client.delete(KubeResource.CONFIG_MAPS, "basics", "none")).isFalse();
        assertThat(client.get(KubeResource.PODS, "nowhere", "none")).isEmpty();
    }

    @Test
    void givenObjectsWithAllThatIsRead_whenListedOrFollowedInTheBinaryForm_thenTheManifestsAreThoseOfJson()
            throws IOException {
        try (var text = KubeApiIT.class.getResourceAsStream("KubeApiIT/rich.yaml")) {
            var documents = Arrays.stream(
                            new String(Objects.requireNonNull(text).readAllBytes(), StandardCharsets.UTF_8)
                                    .split("\n---\n", -1))
                    .flatMap(document -> ManifestDocument.parse(document).stream())
                    .toList();
            new ManifestApplier(cluster).apply(documents);
        }
        var kinds = List.<Class<? extends Manifest>>of(
                PodManifest.class,
                ServiceManifest.class,
                EndpointSliceManifest.class,
                NamespaceManifest.class,
                NodeManifest.class);
        var config = ReaderConfig.of("Kubernetes", "", "istio-system").ofApiServer();
        var queries = MeshQueries.of(config, kinds);
        assertThat(queries).hasSameSizeAs(kinds).noneMatch(query -> query.shape() instanceof KubeQuery.Shape.Whole);

        for (var query : queries) {
            var json = KubeQuery.all(query.resource());
            assertThat(manifests(config, client.list(query).items()))
                    .isEqualTo(manifests(config, client.list(json).items()))
                    .isNotEmpty();
            var followed = new LinkedBlockingQueue<List<Change>>();
            try (var _ = client.watch(query, followed::add)) {
                var first = await().until(followed::poll, Objects::nonNull).stream()
                        .map(change -> ((Change.Put) change).object())
                        .toList();
                assertThat(manifests(config, first))
                        .isEqualTo(manifests(config, client.list(json).items()));
            }
        }
    }

    @Test
    void whenAnAnswerInTheBinaryFormIsARefusal_thenItsWordsAreThere() {
        var config = ReaderConfig.of("Kubernetes", "", "istio-system");
        var query =
                MeshQueries.of(config, List.of(PodManifest.class)).getFirst().withFields("status.mood=good");

        assertThatThrownBy(() -> client.list(query))
                .hasMessageContaining("status 400")
                .hasMessageContaining("status.mood");
    }

    /// By name.
    private static Map<String, Manifest> manifests(ReaderConfig config, List<KubeObject> objects) {
        var reader = new ManifestReader(config);
        var manifests = new TreeMap<String, Manifest>();
        for (var object : objects) {
            for (var reading : reader.read(object.tree(), _ -> Instant.EPOCH)) {
                var good = (Reading.Good) reading;
                manifests.put(good.manifest().metadata().key().toString(), good.manifest());
            }
        }
        return manifests;
    }

    @Test
    void whenFollowed_thenEveryChangeIsToldOnce() {
        namespace("watched");
        configMap("watched", "a");
        var changes = new CopyOnWriteArrayList<String>();
        var query = KubeQuery.all(KubeResource.CONFIG_MAPS)
                .inNamespace("watched")
                .withFields("metadata.name!=kube-root-ca.crt");
        try (var watch = client.watch(query, batch -> batch.forEach(change -> changes.add(told(change))))) {
            await().atMost(LONG).until(watch::isSynced);
            for (var i = 0; i < 5; i++) { // longer than one watch lasts
                configMap("watched", "b" + i);
                var count = 2 * i + 2;
                await().atMost(LONG).until(() -> changes.size() == count);
                client.delete(KubeResource.CONFIG_MAPS, "watched", "b" + i);
                await().atMost(LONG).until(() -> changes.size() == count + 1);
            }
        }
        assertThat(changes).containsExactly("+a", "+b0", "-b0", "+b1", "-b1", "+b2", "-b2", "+b3", "-b3", "+b4", "-b4");
    }

    @Test
    void whenReadAsManifests_thenPodsAndNamespacesComeTogether() {
        namespace("source");
        pod("source", "web", "n9");
        var batches = new CopyOnWriteArrayList<List<ManifestChange>>();
        var queries = List.of(
                KubeQuery.all(KubeResource.PODS).withFields("spec.nodeName=n9"),
                KubeQuery.all(KubeResource.NAMESPACES));
        var reader = ReaderConfig.of("c1", "", "istio-system");
        try (var source = ClusterSource.open(client, queries, reader, InstantSource.system(), batches::add)) {
            await().atMost(LONG).until(source::isSynced);
            var names = batches.getFirst().stream()
                    .map(change -> ((ManifestChange.Put) change).manifest().name())
                    .toList();
            assertThat(names).contains("web", "source", "default");
            assertThat(source.problems()).isEmpty();
            assertThat(source.trouble()).isEmpty();
        }
    }

    @Test
    void givenAStranger_thenTheProblemSaysSo() {
        var known = KubeConfig.fromFile(cluster.kubeconfig());
        var stranger = new KubeConfig(
                known.server(),
                known.serverName(),
                known.trust(),
                new KubeConfig.Token.Fixed("x"),
                known.certificate());
        try (var other = new KubeClient(stranger, SETTINGS)) {
            assertThatThrownBy(() -> other.get(KubeResource.PODS, "basics", "p1"))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            e -> assertThat(e.problem().code()).isEqualTo("kube-unauthorized"));
        }
    }

    private static String told(Change change) {
        return switch (change) {
            case Change.Put put -> "+" + put.object().name();
            case Change.Remove gone -> "-" + gone.name();
        };
    }

    private static Tree note(Object value) {
        return Json.of(Map.of("metadata", Map.of("annotations", Map.of(REDIRECTION, value))));
    }

    private static void namespace(String name) {
        client.create(KubeResource.NAMESPACES, "", Json.of(Map.of("metadata", Map.of("name", name))));
    }

    private static void configMap(String namespace, String name) {
        client.create(KubeResource.CONFIG_MAPS, namespace, Json.of(Map.of("metadata", Map.of("name", name))));
    }

    private static void pod(String namespace, String name, String node) {
        var container = Map.of("name", "main", "image", "none");
        client.apply(
                KubeResource.PODS,
                namespace,
                name,
                Json.of(Map.of(
                        "apiVersion",
                        "v1",
                        "kind",
                        "Pod",
                        "metadata",
                        Map.of("name", name, "labels", Map.of("app", name)),
                        "spec",
                        Map.of("nodeName", node, "containers", List.of(container)))),
                "verify");
    }
}
