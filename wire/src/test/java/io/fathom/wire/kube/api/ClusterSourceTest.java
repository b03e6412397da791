// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import static io.fathom.wire.kube.api.ScriptedApiServer.answer;
import static io.fathom.wire.kube.api.ScriptedApiServer.event;
import static io.fathom.wire.kube.api.ScriptedApiServer.pod;
import static io.fathom.wire.kube.api.ScriptedApiServer.pods;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestChange.Absent;
import io.fathom.wire.kube.ManifestChange.Put;
import io.fathom.wire.kube.ManifestChange.Remove;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClusterSourceTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String BAD_POD =
            "{\"metadata\":{\"namespace\":\"shop\",\"name\":\"a\",\"uid\":\"1\",\"resourceVersion\":\"8\"},\"spec\":7}";

    @AutoClose
    private ScriptedApiServer server;

    @AutoClose
    private KubeClient client;

    private final List<List<String>> batches = new CopyOnWriteArrayList<>();

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedApiServer();
        client = new KubeClient(server.config(), KubeSettings.DEFAULT);
    }

    @Test
    void givenSeveralKinds_thenTheFirstBatchHasAllOfThem() {
        try (var source = open(KubeQuery.all(KubeResource.PODS), KubeQuery.all(KubeResource.NAMESPACES))) {
            server.answers.add(answer(200, pods(5, "", pod("a", "1", 1))));
            await().atMost(LONG).until(() -> !server.watchVersions().isEmpty());
            assertThat(batches).isEmpty();
            assertThat(source.isSynced()).isFalse();
            server.answers.add(answer(
                    200,
                    "{\"kind\":\"NamespaceList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"5\"},"
                            + "\"items\":[{\"metadata\":{\"name\":\"shop\"}}]}"));
            await().atMost(LONG).until(source::isSynced);
            assertThat(batches).hasSize(1);
            assertThat(batches.getFirst()).containsExactlyInAnyOrder("+Pod shop/a", "+Namespace shop");
        }
    }

    @Test
    void givenAPolicyThatCannotBeReadFromTheStart_thenItIsInForceAllTheSame() {
        server.answers.add(answer(
                200,
                "{\"kind\":\"AuthorizationPolicyList\",\"apiVersion\":\"security.istio.io/v1\","
                        + "\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[{\"metadata\":{\"name\":\"a\","
                        + "\"namespace\":\"shop\"},\"spec\":{\"action\":\"DENY\",\"ruels\":[]}}]}"));
        try (var source = open(KubeQuery.all(KubeResource.of(AuthorizationPolicyManifest.class)))) {
            await().atMost(LONG).until(source::isSynced);
            assertThat(batches).containsExactly(List.of("+AuthorizationPolicy shop/a"));
            assertThat(source.problems())
                    .extracting(problem -> problem.problem().code())
                    .containsExactly("manifest-unknown-field", "policy-damaged");
        }
    }

    @Test
    void givenAnObjectThatCannotBeRead_thenItsLastGoodStateStays() {
        server.answers.add(answer(200, pods(5, "", pod("a", "1", 1))));
        server.watches.add(ScriptedApiServer.events(event("MODIFIED", typed(BAD_POD))));
        try (var source = open(KubeQuery.all(KubeResource.PODS))) {
            await().atMost(LONG).until(() -> !source.problems().isEmpty());
            assertThat(source.problems().getFirst().object()).isEqualTo("Pod shop/a");
            server.watches.add(server.openEvents(event("DELETED", typed(pod("a", "1", 9)))));
            await().atMost(LONG).until(() -> batches.size() == 2);
            assertThat(batches).containsExactly(List.of("+Pod shop/a"), List.of("-Pod shop/a"));
            assertThat(source.problems()).isEmpty();
        }
    }

    @Test
    void givenASecretThatIsNamedForAWhile_thenItIsKnownForThatLong() {
        server.answers.add(answer(200, pods(5, "", pod("a", "1", 1))));
        try (var source = open(KubeQuery.all(KubeResource.PODS))) {
            await().atMost(LONG).until(source::isSynced);
            server.answers.add(answer(
                    200,
                    "{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"6\"},\"items\":["
                            + "{\"metadata\":{\"namespace\":\"shop\",\"name\":\"ca\",\"uid\":\"2\",\"resourceVersion\":\"3\"},"
                            + "\"data\":{\"ca.crt\":\"WA==\"}}]}"));
            var named = new ManifestId(CredentialManifest.class, new ObjectKey("c1", "shop", "ca"));
            source.alsoFollow(Set.of(named));
            source.alsoFollow(Set.of(named));
            await().atMost(LONG).until(() -> batches.size() == 2);
            source.alsoFollow(Set.of());
            await().atMost(LONG).until(() -> batches.size() == 3);
            assertThat(batches)
                    .containsExactly(
                            List.of("+Pod shop/a"), List.of("+Credential shop/ca"), List.of("-Credential shop/ca"));
            assertThat(server.asked)
                    .filteredOn(asked -> asked.target().contains("/namespaces/shop/secrets"))
                    .allMatch(asked -> asked.target().contains("metadata.name%3Dca"));
        }
    }

    private static String typed(String object) {
        return "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"," + object.substring(1);
    }

    private ClusterSource open(KubeQuery... queries) {
        return ClusterSource.open(
                client,
                List.of(queries),
                ReaderConfig.of("c1", "", "istio-system"),
                () -> Instant.EPOCH,
                batch -> batches.add(batch.stream().map(ClusterSourceTest::told).toList()));
    }

    private static String told(ManifestChange change) {
        return switch (change) {
            case Put put ->
                "+" + put.manifest().getClass().getSimpleName().replace("Manifest", "") + " "
                        + put.manifest().key().path();
            case Remove gone ->
                "-" + gone.kind().getSimpleName().replace("Manifest", "") + " "
                        + gone.key().path();
            case Absent absent ->
                "?" + absent.kind().getSimpleName().replace("Manifest", "") + " "
                        + absent.key().path();
        };
    }
}
