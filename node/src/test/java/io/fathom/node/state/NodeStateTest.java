// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.testkit.ManualTimeline;
import io.fathom.model.mesh.Ip;
import io.fathom.model.routing.MeshDelta;
import io.fathom.wire.xds.client.AdsClient;
import io.fathom.wire.xds.client.XdsClientConfig;
import io.fathom.wire.xds.client.XdsClientObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class NodeStateTest {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void givenNoControlPlane_thenReadyAtOnceWithWhatTheFileSays() {
        var fixed = LocalMesh.parse("t", "workloads: [{name: a, namespace: b, uid: u}]");
        try (var state = NodeState.start(
                new NodeStateConfig(Optional.empty(), Optional.of(fixed), Optional.empty()),
                XdsClientObserver.NONE,
                new ManualTimeline(Instant.EPOCH))) {
            assertThat(state.ready()).isDone();
            assertThat(state.view().workload("u")).isPresent();
            assertThat(state.awaitLocalWorkload("b", "a", "default", PATIENCE).join())
                    .isPresent();
            assertThat(state.demand("", Ip.parse("1.2.3.4").orElseThrow())).isDone();
        }
    }

    @Test
    void givenAPodThatIsNotKnown_whenTimePasses_thenTheWaitEnds_case35() throws Exception {
        var timeline = new ManualTimeline(Instant.EPOCH);
        try (var state = NodeState.start(
                new NodeStateConfig(Optional.empty(), Optional.empty(), Optional.empty()),
                XdsClientObserver.NONE,
                timeline)) {
            var waiting = state.awaitLocalWorkload("b", "a", "default", PATIENCE);
            timeline.advance(Duration.ofMillis(4999));
            assertThat(waiting).isNotDone();
            timeline.advance(Duration.ofMillis(1));
            assertThat(waiting.get(10, TimeUnit.SECONDS)).isEmpty();
        }
    }

    @Test
    void givenAPodThatIsNotKnown_whenItsWorkloadArrives_thenTheWaiterWakes_butNotForAnother_case35() throws Exception {
        try (var control = new RunningControlPlane(folder);
                var timeline = new SystemTimeline();
                var state = start(control, XdsClientConfig.Scope.ALL, timeline)) {
            assertThat(state.ready()).isNotDone();
            var waiting = state.awaitLocalWorkload("ns", "a", "sa", Duration.ofSeconds(30));
            control.publish("workloads: [{name: other, namespace: ns, serviceAccount: sa, node: node-1}]");
            await().untilAsserted(() -> assertThat(state.view().workloadCount()).isEqualTo(1));
            control.publish("workloads: [{name: a, namespace: ns, serviceAccount: sa, node: node-2, uid: foreign}]");
            await().untilAsserted(() -> assertThat(state.view().workloadCount()).isEqualTo(2));
            assertThat(waiting).isNotDone();
            control.publish("workloads: [{name: a, namespace: ns, serviceAccount: sa, node: node-1, uid: mine}]");
            assertThat(waiting.get(10, TimeUnit.SECONDS).orElseThrow().uid()).isEqualTo("mine");
            state.ready().get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void givenListeners_thenEachChangeIsToldWithBothViews() throws Exception {
        try (var control = new RunningControlPlane(folder);
                var timeline = new SystemTimeline();
                var state = start(control, XdsClientConfig.Scope.ALL, timeline)) {
            Queue<StateChange> changes = new ConcurrentLinkedQueue<>();
            var listening = state.listen(changes::add);
            control.publish("""
                    workloads: [{name: a, namespace: ns, node: node-1, uid: u}]
                    policies: [{name: p, namespace: ns, scope: Namespace, action: Deny}]
                    """);
            await().untilAsserted(() -> assertThat(changes).hasSize(2));
            var policy = changes.remove();
            assertThat(policy.after().policies().size())
                    .as("policies come first")
                    .isEqualTo(1);
            var workload = changes.remove();
            assertThat(workload.before()).isSameAs(policy.after());
            assertThat(workload.before().workload("u")).isEmpty();
            assertThat(workload.after().workload("u")).isPresent();
            assertThat(workload.after()).isSameAs(state.view());

            Queue<StateChange> late = new ConcurrentLinkedQueue<>();
            var _ = state.follow(late::add);
            await().untilAsserted(() -> assertThat(late).hasSize(1));
            assertThat(late.element().delta().addresses()).hasSize(1);

            listening.close();
            control.publish(MeshDelta.ofAddresses(List.of(), List.of("u")));
            await().untilAsserted(() -> assertThat(late).hasSize(2));
            assertThat(changes).isEmpty();
        }
    }

    @Test
    void givenResourcesOnDemand_thenTheViewHoldsWhatWasDemanded() throws Exception {
        try (var control = new RunningControlPlane(folder);
                var timeline = new SystemTimeline();
                var state = start(control, XdsClientConfig.Scope.ON_DEMAND, timeline)) {
            control.publish("workloads: [{name: a, namespace: ns, node: far, uid: u, workloadIps: [10.0.0.1]}]");
            state.ready().get(10, TimeUnit.SECONDS);
            assertThat(state.view().workloadCount()).isZero();
            assertThat(state.demand("", Ip.parse("10.0.0.1").orElseThrow()).get(10, TimeUnit.SECONDS))
                    .isEqualTo(AdsClient.DemandEnd.ANSWERED);
            assertThat(state.view().workload("u")).isPresent();
        }
    }

    @Test
    void givenResourcesOnDemand_whenTheyAreNotUsed_thenOnlyWhatIsNeededStaysAndTheRestComesAnew() throws Exception {
        try (var control = new RunningControlPlane(folder);
                var timeline = new SystemTimeline();
                var state = start(control, XdsClientConfig.Scope.ON_DEMAND, timeline)) {
            control.publish("""
                    services:
                    - {name: web, namespace: ns, hostname: web, vips: [/10.9.0.1], ports: {80: 80},
                       waypoint: {destination: ns/way, hboneMtlsPort: 15008}}
                    - {name: way, namespace: ns, hostname: way, vips: [/10.9.0.2], ports: {15008: 15008}}
                    - {name: idle, namespace: ns, hostname: idle, vips: [/10.9.0.3], ports: {80: 80}}
                    workloads:
                    - {name: own, namespace: ns, node: node-1, uid: own, workloadIps: [10.0.0.1]}
                    - {name: web, namespace: ns, node: far, uid: web, workloadIps: [10.0.0.2], services: {ns/web: {80: 80}}}
                    - {name: way, namespace: ns, node: far, uid: way, workloadIps: [10.0.0.3], services: {ns/way: {15008: 15008}}}
                    - {name: idle, namespace: ns, node: far, uid: idle, workloadIps: [10.0.0.4], services: {ns/idle: {80: 80}}}
                    """);
            state.ready().get(10, TimeUnit.SECONDS);
            for (var key : List.of("ns/way", "/10.9.0.3", "/10.9.0.1", "/10.7.7.7")) {
                state.demand(key).get(10, TimeUnit.SECONDS);
            }
            await().until(() ->
                    state.view().workloadCount() == 4 && state.view().serviceCount() == 3);

            var before = timeline.instant();
            await().until(() -> timeline.instant().isAfter(before.plusMillis(5)));
            state.demand("/10.9.0.1").get(10, TimeUnit.SECONDS); // used again; all others are idle
            state.forgetIdle(Duration.between(before.plusMillis(1), timeline.instant()));

            await().until(() -> state.view().service("ns/idle").isEmpty());
            assertThat(state.view().workload("idle")).isEmpty();
            assertThat(state.view().service("ns/way"))
                    .as("the waypoint of what is used")
                    .isPresent();
            assertThat(state.view().workload("way")).isPresent();
            assertThat(state.view().workload("own")).as("of this node").isPresent();
            assertThat(state.view().endpoints("ns/web")).hasSize(1);

            assertThat(state.demand("/10.9.0.3").get(10, TimeUnit.SECONDS)).isEqualTo(AdsClient.DemandEnd.ANSWERED);
            assertThat(state.view().endpoints("ns/idle")).hasSize(1);
            assertThat(state.demand("ns/way")).succeedsWithin(Duration.ofSeconds(10));
        }
    }

    private static NodeState start(RunningControlPlane control, XdsClientConfig.Scope scope, SystemTimeline timeline) {
        return NodeState.start(
                new NodeStateConfig(Optional.of("node-1"), Optional.empty(), Optional.of(control.xds(scope))),
                XdsClientObserver.NONE,
                timeline);
    }
}
