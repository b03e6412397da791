// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.RemoteClusters;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/// The cases 1 to 5 of remote secrets, without Secrets: who is joined, and how that changes.
class ClusterRegistryTest {
    private static final String EAST = "east";

    private final RemoteClusters mesh = new AmbientMesh(AmbientConfig.defaults().with(Feature.MULTI_NETWORK)).remotes();
    private final ClusterRegistry registry = new ClusterRegistry("Kubernetes", mesh, Duration.ofMinutes(1));
    private final List<Way> ways = new ArrayList<>();

    /// A way to a cluster that gives what the test says.
    private static final class Way implements RemoteSource {
        private final Consumer<List<ManifestChange>> sink;
        private volatile boolean closed;
        private List<Problem> trouble = List.of();

        private Way(Consumer<List<ManifestChange>> sink) {
            this.sink = sink;
        }

        private void give(String... namespaces) {
            sink.accept(Arrays.stream(namespaces)
                    .<ManifestChange>map(name -> new ManifestChange.Put(new NamespaceManifest(new Metadata(
                            new ObjectKey(EAST, "", name),
                            name,
                            Map.of(),
                            Map.of(),
                            Instant.EPOCH,
                            Metadata.Lifecycle.ACTIVE))))
                    .toList());
        }

        @Override
        public List<ManifestProblem> problems() {
            return List.of(
                    new ManifestProblem("", 0, "Service shop/web", "spec", Problem.ofInput("bad", "is bad", "mend it")),
                    new ManifestProblem(
                            "", 0, "Sidecar shop/web", "spec", Problem.ofInput("bad", "is bad", "mend it")));
        }

        @Override
        public List<Problem> trouble() {
            return trouble;
        }

        @Override
        public Duration silence() {
            return trouble.isEmpty() ? Duration.ZERO : Duration.ofSeconds(42);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private ClusterClaim claim(String cluster, String origin, String content) {
        return new ClusterClaim.Usable(cluster, origin, ClusterClaim.fingerprint(content), sink -> {
            var way = new Way(sink);
            ways.add(way);
            return way;
        });
    }

    private Map<String, Integer> objects() {
        return mesh.objects(EAST);
    }

    @Test
    void whenClusterIsWanted_thenItIsReadAndNamed() {
        registry.want("secrets", List.of(claim(EAST, "ns/a", "1")));
        assertThat(registry.reports()).singleElement().satisfies(report -> {
            assertThat(report.cluster()).isEqualTo(EAST);
            assertThat(report.origin()).isEqualTo("ns/a");
            assertThat(report.state()).isEqualTo(SyncState.SYNCING);
        });

        ways.getFirst().give("app", "istio-system");

        assertThat(objects()).isEqualTo(Map.of("Namespace", 2));
        assertThat(registry.reports().getFirst().state()).isEqualTo(SyncState.SYNCED);
        assertThat(registry.states()).isEqualTo(Map.of(List.of(EAST, "remote", "synced"), 1));
    }

    @Test
    void case1_givenTheSameContent_thenNothingHappens() {
        registry.want("secrets", List.of(claim(EAST, "ns/a", "1")));
        registry.want("secrets", List.of(claim(EAST, "ns/a", "1")));

        assertThat(ways).hasSize(1);
    }

    @Test
    void case1_givenOurOwnId_thenItIsIgnored() {
        registry.want("secrets", List.of(claim("Kubernetes", "ns/a", "1")));

        assertThat(registry.reports()).isEmpty();
        assertThat(ways).isEmpty();
    }

    @Test
    void case1_givenOneIdInTwoSecrets_thenTheFirstWinsUntilItGoes() {
        registry.want("secrets", List.of(claim(EAST, "ns/b", "2")));
        registry.want("secrets", List.of(claim(EAST, "ns/a", "1"), claim(EAST, "ns/b", "2")));
        assertThat(registry.reports()).extracting(ClusterReport::origin).containsExactly("ns/b");
        assertThat(registry.problems())
                .extracting(problem -> problem.problem().code())
                .contains("remote-cluster-duplicate");

        registry.want("secrets", List.of(claim(EAST, "ns/a", "1")));
        ways.getLast().give("app");

        assertThat(registry.reports()).extracting(ClusterReport::origin).containsExactly("ns/a");
        assertThat(ways).hasSize(2);
    }

    @Test
    void case1_whenItIsNoLongerWanted_thenNothingIsLeft() {
        registry.want("secrets", List.of(claim(EAST, "ns/a", "1"), claim("west", "ns/a", "1")));
        ways.getFirst().give("app");

        registry.want("secrets", List.of(claim("west", "ns/a", "1")));

        assertThat(registry.reports()).extracting(ClusterReport::cluster).containsExactly("west");
        assertThat(objects()).isEmpty();
        assertThat(ways.getFirst().closed).isTrue();
        ways.getFirst().give("late");
        assertThat(objects()).isEmpty();
    }

    @Test
    void case2_whenContentChanges_thenTheOldWayServesUntilTheNewOneHasBeenRead() {
        registry.want("secrets", List.of(claim(EAST, "ns/a", "1")));
        ways.getFirst().give("app", "gone");

        registry.want("secrets", List.of(claim(EAST, "ns/a", "2")));
        ways.getFirst().give("more");
        assertThat(objects()).isEqualTo(Map.of("Namespace", 3));
        assertThat(ways.getFirst().closed).isFalse();
        assertThat(registry.reports().getFirst().state()).isEqualTo(SyncState.SYNCED);

        ways.getLast().give("app", "other");
        assertThat(objects()).isEqualTo(Map.of("Namespace", 2));
        Awaitility.await().until(() -> ways.getFirst().closed);
        ways.getFirst().give("late");
        assertThat(objects()).isEqualTo(Map.of("Namespace", 2));
    }

    @Test
    void case2_whenContentChangesTwice_thenOnlyTheLastCounts() {
        registry.want("secrets", List.of(claim(EAST, "ns/a", "1")));
        ways.getFirst().give("app");
        registry.want("secrets", List.of(claim(EAST, "ns/a", "2")));
        registry.want("secrets", List.of(claim(EAST, "ns/a", "3")));

        assertThat(ways.get(1).closed).isTrue();
        ways.get(1).give("second");
        ways.get(2).give("third", "thirds");

        assertThat(objects()).isEqualTo(Map.of("Namespace", 2));
    }

    @Test
    void case3_whenItTakesTooLong_thenTheStartGoesOnAndItJoinsLater() throws Exception {
        var impatient = new ClusterRegistry("Kubernetes", mesh, Duration.ofMillis(1));
        impatient.want("secrets", List.of(claim(EAST, "ns/a", "1")));

        impatient.await();
        assertThat(impatient.reports().getFirst().state()).isEqualTo(SyncState.TIMEOUT);
        assertThat(impatient.timeouts()).isEqualTo(1);
        assertThat(impatient.problems())
                .extracting(problem -> problem.problem().code())
                .contains("remote-cluster-timeout");

        ways.getFirst().give("app");
        assertThat(impatient.reports().getFirst().state()).isEqualTo(SyncState.SYNCED);
        assertThat(objects()).isEqualTo(Map.of("Namespace", 1));
    }

    @Test
    void case5_whenItCannotBeReadAnyMore_thenWhatIsJoinedStays() {
        registry.want("secrets", List.of(claim(EAST, "ns/a", "1")));
        ways.getFirst().give("app");

        var problem = Problem.ofInput("kubeconfig-unusable", "is no kubeconfig", "write one");
        registry.want("secrets", List.of(new ClusterClaim.Broken(EAST, "ns/a", problem)));

        assertThat(objects()).isEqualTo(Map.of("Namespace", 1));
        assertThat(ways.getFirst().closed).isFalse();
        assertThat(registry.problems())
                .filteredOn(found -> found.problem().equals(problem))
                .singleElement()
                .satisfies(found -> assertThat(found.object()).isEqualTo("Cluster east (ns/a)"));
    }

    @Test
    void whenItStopsAnswering_thenTheAgeOfItsDataIsTold() {
        registry.want("secrets", List.of(claim(EAST, "ns/a", "1")));
        ways.getFirst().give("app");
        ways.getFirst().trouble = List.of(Problem.ofInput("kube-unreachable", "no answer", "look there"));

        assertThat(registry.reports().getFirst().age()).isEqualTo(Duration.ofSeconds(42));
        assertThat(registry.problems())
                .filteredOn(found -> found.problem().code().equals("remote-cluster-stale"))
                .singleElement()
                .satisfies(found -> assertThat(found.problem().message()).contains("east", "42 s", "no answer"));
    }

    @Test
    void givenObjectsWithProblems_thenTheyNameTheirCluster() {
        registry.want("secrets", List.of(claim(EAST, "ns/a", "1")));

        assertThat(registry.problems())
                .extracting(ManifestProblem::object)
                .containsExactly("Service shop/web of cluster east");
    }

    @Test
    void givenSeveralThatWantSomething_thenEachSpeaksForItself() {
        registry.want("folders", List.of(claim("west", "west", "w")));
        registry.want("secrets", List.of(claim(EAST, "ns/a", "1")));
        registry.want("secrets", List.of());

        assertThat(registry.reports()).extracting(ClusterReport::cluster).containsExactly("west");
    }

    @Test
    void whenClosed_thenNothingMoreIsTakenIn() {
        registry.want("secrets", List.of(claim(EAST, "ns/a", "1")));
        registry.close();

        ways.getFirst().give("app");
        registry.want("secrets", List.of(claim("west", "ns/b", "1")));

        assertThat(objects()).isEmpty();
        assertThat(ways).hasSize(1);
    }
}
