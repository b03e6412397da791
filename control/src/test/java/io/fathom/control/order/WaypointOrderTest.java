// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.flow.Change;
import io.fathom.base.testkit.ManualTimeline;
import io.fathom.control.order.Proxies.Answer;
import io.fathom.control.order.Proxies.Presence;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class WaypointOrderTest {
    private static final GatewayAddress FIRST = address(1);
    private static final GatewayAddress SECOND = address(2);
    private static final ObjectKey W1 = PlayedProxies.waypoint(FIRST);
    private static final ObjectKey W2 = PlayedProxies.waypoint(SECOND);

    private final ManualTimeline timeline = new ManualTimeline(Instant.EPOCH);
    private final PlayedProxies proxies = new PlayedProxies();
    private final List<String> said = new ArrayList<>();
    /// What the mesh wants, and what node proxies have been told.
    private final Map<String, Address> wanted = new HashMap<>();

    private final Map<String, Address> told = new HashMap<>();
    private final WaypointOrder order = new WaypointOrder(
            proxies,
            addresses -> addresses.forEach(address -> told.put(address.resourceName(), address)),
            timeline,
            Patience.DEFAULT,
            new OrderObserver() {
                @Override
                public void unanswered(Set<ObjectKey> waypoints, int addresses) {
                    said.add("unanswered " + waypoints.iterator().next().name() + " " + addresses);
                }

                @Override
                public void answered(Set<ObjectKey> waypoints) {
                    said.add("answered " + waypoints.iterator().next().name());
                }

                @Override
                public void refused(Address address, Set<ObjectKey> waypoints) {
                    said.add("refused " + address.resourceName());
                }

                @Override
                public void settled(Set<String> names) {
                    said.add("settled " + String.join(",", names));
                }

                @Override
                public void nodeProxiesLate() {
                    said.add("late");
                }
            });

    private static GatewayAddress address(int number) {
        return new GatewayAddress(
                new GatewayAddress.GatewayDestination.ByHostname(new NamespacedHostname("mesh", "w" + number)), number);
    }

    private static Service service(String name, int san, GatewayAddress... waypoints) {
        return new Service(
                name,
                "shop",
                name,
                List.of(),
                List.of(),
                List.of("san-" + san),
                new ServiceWaypoints(
                        List.of(waypoints).stream().findFirst(), List.of(), Service.IngressWaypoint.SKIPPED),
                LoadBalancing.NONE,
                Service.IpFamilies.AUTOMATIC,
                Service.Canonical.NO,
                Service.Visibility.PUBLIC);
    }

    /// A commit.
    private void commit(Address... addresses) {
        var changes = new ArrayList<Change<String, Address>>();
        for (var address : addresses) {
            var before = wanted.put(address.resourceName(), address);
            changes.add(
                    before == null
                            ? new Change.Added<>(address.resourceName(), address)
                            : new Change.Updated<>(address.resourceName(), before, address));
        }
        order.apply(changes, now -> now.forEach(address -> told.put(address.resourceName(), address)));
        timeline.settle();
    }

    private void answer(ObjectKey waypoint, Answer answer) {
        proxies.answer(waypoint, answer);
        timeline.settle();
    }

    private Set<GatewayAddress> ways(String name) {
        var address = told.get(name);
        return address == null ? Set.of() : address.waypoints();
    }

    private void attached() {
        commit(service("web", 1));
        commit(service("web", 1, FIRST));
    }

    @Test
    void whenStarted_thenNewsWaitForTheProxiesOfWaypointsToComeBack() {
        proxies.presence.put(W1, Presence.MISSING);
        proxies.presence.put(W2, Presence.NONE);
        order.start(Set.of(W1, W2), () -> said.add("started"));
        timeline.advance(Duration.ofMillis(300));
        proxies.presence.put(W1, Presence.ALL);
        timeline.advance(Duration.ofMillis(100));
        assertThat(said).as("it has yet to be told").isEmpty();
        answer(W1, Answer.SERVED);
        assertThat(said).containsExactly("started");
        timeline.advance(Duration.ofMinutes(1));
        assertThat(said).containsExactly("started");
    }

    @Test
    void whenStarted_thenNobodyWaitsForLong_norForNobody() {
        order.start(Set.of(), () -> said.add("none"));
        proxies.presence.put(W1, Presence.MISSING);
        order.start(Set.of(W1), () -> said.add("late"));
        assertThat(said).containsExactly("none");
        timeline.advance(Patience.DEFAULT.answer());
        assertThat(said).containsExactly("none", "late");
    }

    @Test
    void whenAttached_thenNodeProxiesAreToldOnceTheWaypointHasAcknowledged() {
        attached();
        assertThat(ways("shop/web")).isEmpty();
        answer(W1, Answer.SERVED);
        assertThat(ways("shop/web")).containsExactly(FIRST);
        assertThat(order.holding()).isZero();
        assertThat(said).isEmpty();
    }

    @Test
    void whenSomethingElseOfItChangesMeanwhile_thenThatIsToldAtOnce() {
        attached();
        commit(service("web", 2, FIRST));
        assertThat(told.get("shop/web")).isEqualTo(service("web", 2));
        answer(W1, Answer.SERVED);
        assertThat(told.get("shop/web")).isEqualTo(service("web", 2, FIRST));
    }

    @Test
    void whenAnAnswerToAnOlderVersionComes_thenTheNewerOneStillWaits() {
        attached();
        var old = List.copyOf(proxies.questions);
        proxies.questions.clear();
        commit(service("web", 2, FIRST));
        old.forEach(question -> question.done().accept(Answer.SERVED));
        assertThat(ways("shop/web")).isEmpty();
        answer(W1, Answer.SERVED);
        assertThat(ways("shop/web")).containsExactly(FIRST);
    }

    @Test
    void givenOneThatWaits_whenOthersChange_thenTheyDoNotWait() {
        attached();
        commit(service("other", 1));
        commit(service("other", 2));
        assertThat(told.get("shop/other")).isEqualTo(service("other", 2));
        commit(service("moving", 1), service("moving", 1, SECOND));
        answer(W2, Answer.SERVED);
        assertThat(ways("shop/moving")).as("nor for another waypoint").containsExactly(SECOND);
        assertThat(ways("shop/web")).isEmpty();
    }

    @Test
    void whenANewServiceHasAWaypoint_thenNothingIsBypassed_andConnectionsWaitUntilTheWaypointServesIt() {
        commit(service("web", 1, FIRST));
        assertThat(ways("shop/web")).containsExactly(GatewayAddress.PENDING);
        commit(service("web", 2, FIRST));
        assertThat(told.get("shop/web")).isEqualTo(service("web", 2, GatewayAddress.PENDING));
        answer(W1, Answer.SERVED);
        assertThat(told.get("shop/web")).isEqualTo(service("web", 2, FIRST));
        assertThat(order.holding()).isZero();
        assertThat(said).isEmpty();
    }

    @Test
    void whenANewServiceHasAWaypointThatDoesNotAnswer_thenItIsToldAllTheSame() {
        commit(service("web", 1, FIRST));
        timeline.advance(Patience.DEFAULT.answer());
        assertThat(ways("shop/web")).containsExactly(FIRST);
        assertThat(said).containsExactly("unanswered w1 1");
    }

    @Test
    void whenANewServiceHasAWaypointWithoutProxies_thenItIsToldAtOnce() {
        proxies.presence.put(W1, Presence.NONE);
        commit(service("web", 1, FIRST));
        assertThat(ways("shop/web")).containsExactly(FIRST);
        assertThat(proxies.questions).isEmpty();
    }

    @Test
    void whenANewServiceGoesOrLosesItsWaypointMeanwhile_thenNothingIsHeld() {
        commit(service("web", 1, FIRST));
        commit(service("web", 1));
        assertThat(ways("shop/web")).isEmpty();
        commit(service("other", 1, FIRST));
        order.apply(
                List.of(new Change.Removed<>("shop/other", service("other", 1, FIRST))),
                now -> assertThat(now).isEmpty());
        assertThat(order.holding()).isZero();
        assertThat(proxies.questions).isEmpty();
    }

    @Test
    void whenDetached_thenNodeProxiesAreToldAtOnce_andTheWaypointWhenTheyKnow() {
        attached();
        answer(W1, Answer.SERVED);
        commit(service("web", 1));
        assertThat(ways("shop/web")).isEmpty();
        order.left(Map.of("shop/web", 7L), Set.of());
        assertThat(proxies.forgotten).isEmpty();
        proxies.nodeProxiesAnswer();
        timeline.settle();
        assertThat(proxies.forgotten).as("connections may be on their way").isEmpty();
        timeline.advance(Patience.DEFAULT.drain());
        assertThat(proxies.forgotten).isEqualTo(Map.of("shop/web", 7L));
        assertThat(said).isEmpty();
    }

    @Test
    void whenDetachedBeforeTheWaypointAnswers_thenItWasNeverTold() {
        attached();
        commit(service("web", 1));
        answer(W1, Answer.SERVED);
        assertThat(ways("shop/web")).isEmpty();
        assertThat(order.holding()).isZero();
        timeline.advance(Duration.ofMinutes(1));
        assertThat(said).isEmpty();
    }

    @Test
    void whenMoved_thenTheOldWaypointServesUntilTheNewOneDoesAndNodeProxiesKnow() {
        attached();
        answer(W1, Answer.SERVED);
        commit(service("web", 1, SECOND));
        order.left(Map.of("shop/web", 3L), Set.of());
        assertThat(ways("shop/web")).containsExactly(FIRST);
        assertThat(proxies.nodeProxies).as("they still send there").isEmpty();
        answer(W2, Answer.SERVED);
        assertThat(ways("shop/web")).containsExactly(SECOND);
        proxies.nodeProxiesAnswer();
        timeline.advance(Patience.DEFAULT.drain());
        assertThat(proxies.forgotten).containsEntry("shop/web", 3L);
    }

    @Test
    void whenAWaypointIsRemoved_thenItsProxiesServeUntilNodeProxiesKnow() {
        attached();
        answer(W1, Answer.SERVED);
        commit(service("web", 1));
        order.left(Map.of("shop/web", 3L), Set.of(W1));
        proxies.nodeProxiesAnswer();
        timeline.settle();
        assertThat(proxies.dismissed).isEmpty();
        timeline.advance(Patience.DEFAULT.drain());
        assertThat(proxies.dismissed).containsExactly(W1);
    }

    @Test
    void whenAWaypointIsAddedWithoutProxies_thenNobodyWaits() {
        proxies.presence.put(W1, Presence.NONE);
        attached();
        assertThat(ways("shop/web")).containsExactly(FIRST);
    }

    @Test
    void givenAProxyThatShouldBeThere_thenItIsWaitedForABit() {
        proxies.presence.put(W1, Presence.MISSING);
        attached();
        timeline.advance(Duration.ofMillis(500));
        assertThat(proxies.questions).isEmpty();
        proxies.presence.put(W1, Presence.ALL);
        timeline.advance(Duration.ofMillis(100));
        answer(W1, Answer.SERVED);
        assertThat(ways("shop/web")).containsExactly(FIRST);
    }

    @Test
    void givenAProxyThatIsElsewhere_thenTheOthersDecideAfterABit() {
        proxies.presence.put(W1, Presence.MISSING);
        attached();
        timeline.advance(Patience.DEFAULT.absence());
        answer(W1, Answer.SERVED);
        assertThat(ways("shop/web")).containsExactly(FIRST);
        assertThat(said).isEmpty();
    }

    @Test
    void whenTheProxyLeavesWhileWaitedFor_thenItMayComeBack() {
        attached();
        proxies.presence.put(W1, Presence.MISSING);
        answer(W1, Answer.LEFT);
        assertThat(ways("shop/web")).isEmpty();
        proxies.presence.put(W1, Presence.ALL);
        timeline.advance(Duration.ofMillis(100));
        assertThat(ways("shop/web")).as("it has yet to be told").isEmpty();
        answer(W1, Answer.SERVED);
        assertThat(ways("shop/web")).containsExactly(FIRST);
    }

    @Test
    void whenTheWaypointDoesNotAnswer_thenItGoesOnAndIsSaid() {
        attached();
        timeline.advance(Patience.DEFAULT.answer().minusMillis(1));
        assertThat(ways("shop/web")).isEmpty();
        timeline.advance(Duration.ofMillis(1));
        assertThat(ways("shop/web")).containsExactly(FIRST);
        assertThat(said).containsExactly("unanswered w1 1");
        assertThat(proxies.questions).as("only whether it lives again").hasSize(1);
        answer(W1, Answer.SERVED);
        assertThat(said).containsExactly("unanswered w1 1", "answered w1");
    }

    @Test
    void givenAWaypointThatChangesAllTheTime_thenTheFirstAnswerCounts_andQuestionsAreBounded() {
        attached();
        for (int i = 0; i < 1000; i++) {
            proxies.publish(W1);
            commit();
        }
        assertThat(proxies.questions).hasSizeLessThan(50);
        proxies.questions.removeFirst().done().accept(Answer.SERVED);
        assertThat(ways("shop/web")).containsExactly(FIRST);
        assertThat(proxies.questions).as("nobody is interested any more").isEmpty();
    }

    @Test
    void whenNodeProxiesDoNotAnswer_thenTheWaypointDropsItAndIsSaid() {
        order.left(Map.of("shop/web", 7L), Set.of());
        timeline.advance(Patience.DEFAULT.answer());
        assertThat(proxies.forgotten).containsEntry("shop/web", 7L);
        assertThat(said).containsExactly("late");
    }

    @Test
    void whenTheWaypointRefuses_thenNodeProxiesAreNotTold_untilItIsCorrected() {
        attached();
        commit(service("good", 1));
        commit(service("good", 1, FIRST));
        answer(W1, Answer.REFUSED);
        // The culprit is found and held back, the rest is told again.
        proxies.notOffered.add("shop/web");
        proxies.publish(W1);
        commit();
        answer(W1, Answer.SERVED);
        assertThat(ways("shop/good")).containsExactly(FIRST);
        assertThat(ways("shop/web")).isEmpty();
        timeline.advance(Duration.ofMinutes(1));
        assertThat(ways("shop/web")).isEmpty();
        assertThat(said).containsExactly("refused shop/web");

        proxies.notOffered.clear();
        proxies.publish(W1);
        commit();
        answer(W1, Answer.SERVED);
        assertThat(ways("shop/web")).containsExactly(FIRST);
        timeline.settle();
        assertThat(said).containsExactly("refused shop/web", "settled shop/web");
    }

    @Test
    void whenRefusedAndNothingCanBeHeldBack_thenNodeProxiesAreNotToldEither() {
        attached();
        answer(W1, Answer.REFUSED);
        timeline.advance(Duration.ofMinutes(1));
        assertThat(ways("shop/web")).isEmpty();
        assertThat(said).containsExactly("refused shop/web");
        commit(service("web", 1));
        timeline.settle();
        assertThat(said).containsExactly("refused shop/web", "settled shop/web");
    }

    @Test
    void givenWeightedWaypoints_thenAllHaveToServe() {
        commit(service("web", 1));
        var weighted = new Service(
                "web",
                "shop",
                "web",
                List.of(),
                List.of(),
                List.of(),
                new ServiceWaypoints(
                        Optional.empty(),
                        List.of(new Service.WeightedWaypoint(FIRST, 1), new Service.WeightedWaypoint(SECOND, 1)),
                        Service.IngressWaypoint.SKIPPED),
                LoadBalancing.NONE,
                Service.IpFamilies.AUTOMATIC,
                Service.Canonical.NO,
                Service.Visibility.PUBLIC);
        commit(weighted);
        answer(W1, Answer.SERVED);
        assertThat(ways("shop/web")).isEmpty();
        answer(W2, Answer.SERVED);
        assertThat(ways("shop/web")).containsExactly(FIRST, SECOND);
    }

    @Test
    void givenManyAtOnce_thenTheWaypointIsAskedOnce_andAllAreTold() {
        var before = new ArrayList<Address>();
        var after = new ArrayList<Address>();
        for (int i = 0; i < 10_000; i++) {
            before.add(service("s" + i, 1));
            after.add(service("s" + i, 1, FIRST));
        }
        commit(before.toArray(Address[]::new));
        commit(after.toArray(Address[]::new));
        assertThat(order.holding()).isEqualTo(10_000);
        assertThat(proxies.asked).isEqualTo(1);
        answer(W1, Answer.SERVED);
        assertThat(order.holding()).isZero();
        assertThat(told.values()).allMatch(address -> address.waypoints().contains(FIRST));
    }

    @Test
    void givenAWorkload_whenItsWaypointChanges_thenItsHealthDoesNotWait() {
        var plain = workload(Workload.Health.HEALTHY, Optional.empty());
        commit(plain);
        commit(workload(Workload.Health.HEALTHY, Optional.of(FIRST)));
        commit(workload(Workload.Health.UNHEALTHY, Optional.of(FIRST)));
        assertThat(told.get("pod")).isEqualTo(workload(Workload.Health.UNHEALTHY, Optional.empty()));
        answer(W1, Answer.SERVED);
        assertThat(told.get("pod")).isEqualTo(workload(Workload.Health.UNHEALTHY, Optional.of(FIRST)));
    }

    private static Workload workload(Workload.Health health, Optional<GatewayAddress> waypoint) {
        return new Workload(
                "pod",
                "pod",
                "shop",
                new WorkloadNetwork("", List.of(), "", Workload.NetworkMode.STANDARD),
                WorkloadTunnel.of(Workload.TunnelProtocol.HBONE),
                new WorkloadSecurity("", "", List.of()),
                new WorkloadGateways(waypoint, Workload.Hairpin.NO, Optional.empty()),
                new WorkloadPlace("", "", Locality.NONE),
                new CanonicalService("", ""),
                new WorkloadOwner(Workload.Type.POD, ""),
                health,
                new ServiceMembership(Map.of(), 0));
    }
}
