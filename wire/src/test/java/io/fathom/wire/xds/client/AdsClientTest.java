// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import static io.fathom.wire.xds.client.Meshes.NODE;
import static io.fathom.wire.xds.client.Meshes.POD;
import static io.fathom.wire.xds.client.Meshes.batch;
import static io.fathom.wire.xds.client.Meshes.pod;
import static io.fathom.wire.xds.client.Meshes.podOn;
import static io.fathom.wire.xds.client.Meshes.policy;
import static io.fathom.wire.xds.client.Meshes.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.model.routing.MeshStore;
import io.fathom.wire.dial.GrpcStream.Progress;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.xds.client.XdsClientObserver.Termination;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import io.grpc.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Our client and our server over real TLS connections.
@Timeout(60)
class AdsClientTest {
    private final SystemTimeline timeline = new SystemTimeline();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final MeshStore mesh = new MeshStore(Optional.of("my-node"));
    private final Recorder recorder = new Recorder();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private ControlPlane control;

    @SuppressWarnings("NullAway.Init")
    private AdsClient client;

    @BeforeEach
    void startControlPlane() {
        control = new ControlPlane(folder);
    }

    @AfterEach
    void stop() throws InterruptedException {
        client.close();
        thread.shutdown();
        assertThat(thread.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        control.close();
        timeline.close();
    }

    @Test
    void givenAMesh_whenConnected_thenItArrivesChangesAndGoes() throws Exception {
        control.store.publish(batch(pod("a", "10.0.0.1"), service("web", "10.1.0.1"), policy("p")));
        connect(control.config().withHeaders(Map.of("x-extra", "yes")));
        client.ready().get(10, TimeUnit.SECONDS);
        assertThat(mesh.view().workload(POD + "a")).contains(pod("a", "10.0.0.1"));
        assertThat(mesh.view().service("default/web")).isPresent();
        assertThat(mesh.view().policies().size()).isEqualTo(1);
        var caller = control.callers.element();
        assertThat(caller.bearerToken()).contains("token-1");
        assertThat(caller.clusterId()).contains("cluster-7");

        control.store.publish(batch(pod("a", "10.0.0.2")));
        await().untilAsserted(() -> assertThat(mesh.view().workload(POD + "a")).contains(pod("a", "10.0.0.2")));
        control.store.publish(
                new ResourceBatch().remove(XdsType.ADDRESS, POD + "a").remove(XdsType.AUTHORIZATION, "default/p"));
        await().untilAsserted(() -> {
            assertThat(mesh.view().workloadCount()).isZero();
            assertThat(mesh.view().policies().size()).isZero();
        });
        assertThat(recorder.bytes)
                .isNotEmpty()
                .allSatisfy(bytes -> assertThat(bytes).isPositive());
        assertThat(client.statuses())
                .containsOnlyKeys(XdsType.ADDRESS.url(), XdsType.AUTHORIZATION.url(), XdsType.SECRET.url());
    }

    @Test
    void givenAHeldMesh_whenTheServerRestarts_thenTheStateSurvivesAndOnlyTheDifferenceIsSent_case77() throws Exception {
        control.store.publish(batch(pod("a", "10.0.0.1"), pod("b", "10.0.0.2"), pod("c", "10.0.0.3")));
        connect(control.config());
        client.ready().get(10, TimeUnit.SECONDS);
        var before = mesh.view();

        control.write("token", "token-2");
        control.resourcesSent.clear();
        control.restart();
        await().untilAsserted(() -> assertThat(control.callers).hasSizeGreaterThan(1));
        await().untilAsserted(() -> assertThat(control.resourcesSent).hasSize(3));
        assertThat(control.resourcesSent).containsOnly(0);
        assertThat(mesh.view()).as("nothing was dropped and nothing came twice").isSameAs(before);
        assertThat(List.copyOf(control.callers).getLast().bearerToken())
                .as("read anew for each connection")
                .contains("token-2");
        assertThat(recorder.terminations).isNotEmpty();

        control.store.publish(batch(pod("d", "10.0.0.4")));
        await().untilAsserted(() -> assertThat(mesh.view().workloadCount()).isEqualTo(4));
    }

    @Test
    void givenAResourceThatIsRefused_thenTheServerHearsWhyAndTheRestApplies() {
        var broken = XdsResource.of("default/broken", 1, new byte[] {7, 7, 7}, List.of(), List.of());
        control.store.publish(batch(pod("a", "10.0.0.1")).put(XdsType.ADDRESS, broken));
        connect(control.config());
        await().untilAsserted(() -> assertThat(control.refusals).isNotEmpty());
        assertThat(control.refusals.element()).startsWith("default/broken: ");
        assertThat(mesh.view().workloadCount()).isEqualTo(1);
        assertThat(client.ready()).as("a refused first answer does not count").isNotDone();

        control.store.publish(new ResourceBatch().remove(XdsType.ADDRESS, "default/broken"));
        await().untilAsserted(() -> assertThat(client.ready()).isDone());
    }

    @Test
    void givenAWrongRoot_whenTheFileIsReplaced_thenTheNextAttemptSucceeds() throws Exception {
        control.store.publish(batch(pod("a", "10.0.0.1")));
        var good = java.nio.file.Files.readString(folder.resolve("root.pem"));
        control.write("root.pem", "nothing");
        connect(control.config());
        await().untilAsserted(() -> assertThat(recorder.terminations).contains(Termination.CONNECTION_ERROR));
        control.write("root.pem", good);
        client.ready().get(20, TimeUnit.SECONDS);
    }

    @Test
    void givenAServerWithAnotherName_thenItIsNotTrusted() {
        control.store.publish(batch(pod("a", "10.0.0.1")));
        connect(control.config().withAlternativeName("istiod.elsewhere.svc"));
        await().untilAsserted(() ->
                assertThat(recorder.terminations).hasSizeGreaterThan(3).containsOnly(Termination.CONNECTION_ERROR));
        assertThat(control.callers).isEmpty();
    }

    @Test
    void givenDemand_thenAskedByAliasAndFollowed() throws Exception {
        control.store.publish(batch(
                podOn("elsewhere", "a", "10.0.0.1", "default/web"),
                service("web", "10.1.0.1"),
                pod("mine", "10.0.0.5"),
                podOn("elsewhere", "other", "10.0.0.6")));
        connect(control.config(), XdsClientConfig.Scope.ON_DEMAND, Duration.ofSeconds(20));
        client.ready().get(10, TimeUnit.SECONDS);
        assertThat(mesh.view().workloadCount()).as("those of the own node").isEqualTo(1);

        var first = client.demand("/10.1.0.1");
        var second = client.demand("/10.1.0.1");
        assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(AdsClient.DemandEnd.ANSWERED);
        assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(AdsClient.DemandEnd.ANSWERED);
        assertThat(mesh.view().service("default/web")).isPresent();
        assertThat(mesh.view().workload(POD + "a")).isPresent();
        assertThat(client.demand("/10.0.0.99").get(10, TimeUnit.SECONDS)).isEqualTo(AdsClient.DemandEnd.ANSWERED);

        control.restart();
        await().untilAsserted(() -> assertThat(control.callers).hasSizeGreaterThan(1));
        control.store.publish(batch(podOn("elsewhere", "late", "10.0.0.99")));
        await().untilAsserted(
                        () -> assertThat(mesh.view().workload(POD + "late")).isPresent());
        assertThat(mesh.view().workload(POD + "other")).isEmpty();
    }

    @Test
    void givenNoServer_whenSomethingIsDemanded_thenTheWaitHasAnEnd() throws Exception {
        connect(
                ServerConfig.parse("127.0.0.1:1", control.config().trust()),
                XdsClientConfig.Scope.ON_DEMAND,
                Duration.ofMillis(200));
        assertThat(client.demand("/10.1.0.1").get(10, TimeUnit.SECONDS)).isEqualTo(AdsClient.DemandEnd.LATE);
    }

    @Test
    void whenAStreamEnds_thenTheReasonIsTold() {
        connect(control.config());
        assertThat(AdsClient.reason(Status.OK, Progress.ANSWERED)).isEqualTo(Termination.COMPLETE);
        assertThat(AdsClient.reason(Status.UNAVAILABLE, Progress.UNANSWERED)).isEqualTo(Termination.CONNECTION_ERROR);
        assertThat(AdsClient.reason(Status.UNAVAILABLE.withDescription("transport is closing"), Progress.ANSWERED))
                .isEqualTo(Termination.RECONNECT);
        assertThat(AdsClient.reason(Status.UNAVAILABLE.withDescription("not ready"), Progress.ANSWERED))
                .isEqualTo(Termination.ERROR);
        assertThat(AdsClient.reason(Status.DEADLINE_EXCEEDED, Progress.ANSWERED))
                .isEqualTo(Termination.RECONNECT);
        assertThat(AdsClient.reason(Status.UNAUTHENTICATED, Progress.UNANSWERED))
                .isEqualTo(Termination.ERROR);
    }

    private void connect(ServerConfig server) {
        connect(server, XdsClientConfig.Scope.ALL, Duration.ofSeconds(5));
    }

    private void connect(ServerConfig server, XdsClientConfig.Scope scope, Duration patience) {
        client = AdsClient.start(
                new XdsClientConfig(server, NODE, scope, patience), mesh::apply, recorder, timeline, thread);
    }

    private static final class Recorder implements XdsClientObserver {
        final Queue<Termination> terminations = new ConcurrentLinkedQueue<>();
        final Queue<Integer> bytes = new ConcurrentLinkedQueue<>();

        @Override
        public void terminated(Termination reason) {
            terminations.add(reason);
        }

        @Override
        public void received(String typeUrl, int size) {
            bytes.add(size);
        }
    }
}
