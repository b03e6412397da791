// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import static io.fathom.wire.kube.api.ScriptedApiServer.answer;
import static io.fathom.wire.kube.api.ScriptedApiServer.event;
import static io.fathom.wire.kube.api.ScriptedApiServer.events;
import static io.fathom.wire.kube.api.ScriptedApiServer.initialEnd;
import static io.fathom.wire.kube.api.ScriptedApiServer.pod;
import static io.fathom.wire.kube.api.ScriptedApiServer.pods;
import static io.fathom.wire.kube.api.ScriptedApiServer.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.wire.kube.api.ObjectWatch.Change;
import io.fathom.wire.kube.multicluster.ServiceExportManifest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ObjectWatchTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final KubeSettings QUICK = new KubeSettings(
            Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofMillis(1), Duration.ofMillis(20), 2, LONG);

    @AutoClose
    private ScriptedApiServer server;

    @AutoClose
    private KubeClient client;

    private final List<String> changes = new CopyOnWriteArrayList<>();
    private final List<Integer> sizes = new CopyOnWriteArrayList<>();

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedApiServer();
        client = new KubeClient(server.config(), QUICK);
    }

    @Test
    void whenFollowed_thenFirstEverythingAndThenWhatChanges() {
        server.answers.add(answer(200, pods(5, "", pod("a", "1", 1), pod("b", "2", 2))));
        server.watches.add(server.openEvents(
                event("ADDED", pod("c", "3", 6)),
                event("MODIFIED", pod("a", "1", 7)),
                event("BOOKMARK", pod("", "", 9)),
                event("NEWS", pod("x", "x", 10)),
                event("DELETED", pod("b", "2", 11))));
        try (var watch = watch()) {
            awaitChanges("+a1", "+b2", "+c3", "+a1", "-b2");
            assertThat(sizes.getFirst()).isEqualTo(2);
            assertThat(watch.isSynced()).isTrue();
            assertThat(watch.trouble()).isEmpty();
        }
        assertThat(server.watchVersions()).containsExactly("5");
    }

    @Test
    void givenNothing_thenTheFirstBatchIsEmpty() {
        server.answers.add(answer(200, pods(5, "")));
        server.watches.add(server.openEvents());
        try (var watch = watch()) {
            await().atMost(LONG).until(watch::isSynced);
            assertThat(sizes).containsExactly(0);
        }
    }

    @Test
    void whenAWatchEnds_thenTheNextOneBeginsWhereItEnded() {
        server.answers.add(answer(200, pods(5, "", pod("a", "1", 1))));
        server.watches.add(events(event("MODIFIED", pod("a", "1", 6))));
        server.watches.add(events(event("BOOKMARK", pod("", "", 30))));
        server.watches.add(events());
        server.watches.add(server.openEvents(event("DELETED", pod("a", "1", 31))));
        try (var _ = watch()) {
            awaitChanges("+a1", "+a1", "-a1");
        }
        assertThat(server.watchVersions()).containsExactly("5", "6", "30", "30");
    }

    @Test
    void givenAServerThatForgot_thenEverythingIsListedAndOnlyDifferencesAreTold() {
        server.answers.add(answer(200, pods(5, "", pod("a", "1", 1), pod("b", "2", 2))));
        server.answers.add(answer(200, pods(50, "n", pod("a", "1", 1), pod("b", "9", 48))));
        server.answers.add(answer(200, pods(50, "", pod("c", "3", 49))));
        server.answers.add(answer(200, pods(60, "", pod("c", "3", 49))));
        server.watches.add(events(event("ERROR", status(410, "Expired", "too old resource version"))));
        server.watches.add(answer(410, status(410, "Expired", "too old resource version")));
        server.watches.add(server.openEvents());
        try (var _ = watch()) {
            // b was replaced by another of the same name; a and the new b went away before the last list
            await().atMost(LONG).until(() -> changes.size() == 7);
            assertThat(changes.subList(0, 5)).containsExactly("+a1", "+b2", "-b2", "+b9", "+c3");
            assertThat(changes.subList(5, 7)).containsExactlyInAnyOrder("-a1", "-b9");
        }
        assertThat(server.watchVersions()).startsWith("5", "50");
    }

    @Test
    void givenFailures_thenItGoesOnAndTellsOfTheTrouble() {
        server.answers.add(answer(500, "boom"));
        server.answers.add(answer(403, status(403, "Forbidden", "no")));
        try (var watch = watch()) {
            await().atMost(LONG)
                    .until(() -> watch.trouble()
                            .filter(problem -> problem.code().equals("kube-forbidden"))
                            .isPresent());
            assertThat(watch.isSynced()).isFalse();
            server.watches.add(events(event("ERROR", status(500, "InternalError", "etcd"))));
            server.watches.add(events("nonsense"));
            server.watches.add(server.openEvents(event("ADDED", pod("b", "2", 8))));
            server.answers.add(answer(200, pods(5, "", pod("a", "1", 1))));
            awaitChanges("+a1", "+b2");
            await().atMost(LONG).until(() -> watch.trouble().isEmpty());
        }
        assertThat(server.watchVersions()).containsExactly("5", "5", "5");
    }

    @Test
    void givenAServerThatStreamsLists_thenTheListIsTheBeginningOfTheWatch() {
        server.streamedLists.add(server.openEvents(
                event("ADDED", pod("a", "1", 1)),
                event("ADDED", pod("b", "2", 2)),
                initialEnd(5),
                event("MODIFIED", pod("b", "2", 6))));
        try (var watch = watch()) {
            awaitChanges("+a1", "+b2", "+b2");
            assertThat(sizes.getFirst()).isEqualTo(2);
            assertThat(watch.phase()).isEqualTo(ObjectWatch.WatchPhase.FOLLOWING);
            assertThat(watch.objects()).isEqualTo(2);
        }
        assertThat(server.asked).isEmpty();
    }

    @Test
    void givenAStreamedListThatIsCut_thenItBeginsAgainAndEndsExact() {
        server.streamedLists.add(events(event("ADDED", pod("a", "1", 1)), event("ADDED", pod("b", "2", 2))));
        server.streamedLists.add(events(event("ADDED", pod("b", "2", 2)), initialEnd(7)));
        server.watches.add(events(event("ERROR", status(410, "Expired", "too old resource version"))));
        server.streamedLists.add(server.openEvents(event("ADDED", pod("c", "3", 8)), initialEnd(9)));
        try (var _ = watch()) {
            awaitChanges("+a1", "+b2", "-a1", "+c3", "-b2");
            assertThat(sizes.getFirst()).isEqualTo(3);
        }
        assertThat(server.watchVersions()).containsExactly("7");
    }

    @Test
    void givenAKindThatIsNotInstalled_thenThereAreNoObjectsUntilItIs() {
        var policies = new KubeResource("security.istio.io", "v1", "policies", KubeResource.Scope.NAMESPACE);
        server.answers.add(answer(404, "404 page not found")); // v1
        server.answers.add(answer(404, "404 page not found")); // v1beta1
        try (var watch = watch(KubeQuery.all(policies).orVersions(List.of("v1beta1")))) {
            await().atMost(LONG).until(watch::isSynced);
            assertThat(watch.phase()).isEqualTo(ObjectWatch.WatchPhase.ABSENT);
            assertThat(sizes).containsExactly(0);
            assertThat(watch.trouble()).isEmpty();
            server.answers.add(answer(404, "404 page not found"));
            server.answers.add(answer(200, pods(5, "", pod("a", "1", 1))));
            awaitChanges("+a1");
            await().atMost(LONG).until(() -> watch.phase() == ObjectWatch.WatchPhase.FOLLOWING);
        }
    }

    @Test
    void givenObjectsOfAKind_whenItSeemsGone_thenOnlyTheServersOwnWordCounts() {
        var policies = new KubeResource("security.istio.io", "v1", "policies", KubeResource.Scope.NAMESPACE);
        server.answers.add(answer(200, pods(5, "", pod("a", "1", 1))));
        server.watches.add(answer(404, "404 page not found"));
        server.answers.add(answer(404, "404 page not found")); // something else asked for groups
        try (var watch = watch(KubeQuery.all(policies))) {
            await().atMost(LONG).until(() -> watch.trouble().isPresent());
            assertThat(watch.objects()).isEqualTo(1);
            server.answers.add(answer(404, "404 page not found"));
            server.answers.add(answer(200, "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"apps\"}]}"));
            awaitChanges("+a1", "-a1");
            await().atMost(LONG).until(() -> watch.phase() == ObjectWatch.WatchPhase.ABSENT);
        }
    }

    @Test
    void givenAForbiddenKind_thenTheMissingRuleIsNamed() {
        server.answers.add(answer(403, status(403, "Forbidden", "no")));
        try (var watch = watch()) {
            await().atMost(LONG).until(() -> watch.trouble().isPresent());
            assertThat(watch.trouble().orElseThrow().fix())
                    .contains("{apiGroups: [\"\"], resources: [pods], verbs: [list, watch]} in a ClusterRole");
            assertThat(watch.phase()).isEqualTo(ObjectWatch.WatchPhase.TROUBLED);
        }
    }

    /// Accounts by which clusters were joined before ServiceExports were read keep working.
    @Test
    void givenAForbiddenKindThatNobodyIsLetInFor_thenThereAreNoObjectsUntilItIsAllowed() {
        server.answers.add(answer(403, status(403, "Forbidden", "no")));
        try (var watch = watch(KubeQuery.all(KubeResource.of(ServiceExportManifest.class)))) {
            await().atMost(LONG).until(watch::isSynced);
            assertThat(watch.phase()).isEqualTo(ObjectWatch.WatchPhase.ABSENT);
            assertThat(watch.trouble()).isEmpty();
            server.answers.add(answer(200, pods(5, "", pod("a", "1", 1))));
            awaitChanges("+a1");

            server.watches.add(answer(403, status(403, "Forbidden", "no")));
            await().atMost(LONG).until(() -> watch.trouble().isPresent());
            assertThat(watch.objects())
                    .describedAs("what is known is not given up")
                    .isEqualTo(1);
        }
    }

    @Test
    void givenAKindOfWhichMetadataIsEnough_thenNoMoreIsAskedFor() {
        server.answers.add(answer(
                200,
                "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
                        + "\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[" + pod("a", "1", 1) + "]}"));
        server.watches.add(server.openEvents(event("ADDED", pod("b", "2", 6))));
        var kinds = new CopyOnWriteArrayList<String>();
        var query = KubeQuery.all(KubeResource.NODES).withoutContent("Node");
        try (var _ = client.watch(
                query,
                batch -> batch.forEach(change -> kinds.add(
                        change instanceof Change.Put put ? put.object().kind() : "")))) {
            await().atMost(LONG).untilAsserted(() -> assertThat(kinds).containsExactly("Node", "Node"));
        }
        assertThat(server.asked)
                .extracting(ScriptedApiServer.Asked::accept)
                .containsExactly(
                        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, "
                                + "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
                        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, "
                                + "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    }

    @Test
    void whenClosedWhileItWaits_thenItEnds() {
        server.answers.add(answer(200, pods(5, "")));
        var watch = watch();
        await().atMost(LONG).until(() -> !server.watchVersions().isEmpty());
        watch.close(); // returns
        assertThat(sizes).containsExactly(0);
        var unanswered = watch();
        await().atMost(LONG).until(() -> server.asked.size() == 3);
        unanswered.close();
        assertThat(unanswered.isSynced()).isFalse();
    }

    private ObjectWatch watch() {
        return watch(KubeQuery.all(KubeResource.PODS));
    }

    private ObjectWatch watch(KubeQuery query) {
        return client.watch(query, batch -> {
            sizes.add(batch.size());
            for (var change : batch) {
                changes.add(
                        switch (change) {
                            case Change.Put put ->
                                "+" + put.object().name() + put.object().uid();
                            case Change.Remove gone -> "-" + gone.name() + gone.uid();
                        });
            }
        });
    }

    private void awaitChanges(String... want) {
        await().atMost(LONG).untilAsserted(() -> assertThat(changes).containsExactly(want));
    }
}
