// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import static io.fathom.wire.xds.client.Meshes.NODE;
import static io.fathom.wire.xds.client.Meshes.POD;
import static io.fathom.wire.xds.client.Meshes.pod;
import static io.fathom.wire.xds.client.Meshes.resource;
import static io.fathom.wire.xds.client.Meshes.response;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.model.routing.MeshStore;
import io.fathom.wire.xds.store.XdsType;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A client that asks for what it needs: cases 74 and 75, and weakness o (aliases, several waiters).
class OnDemandProtocolTest {
    private final MeshStore store = new MeshStore(Optional.empty());
    private final DeltaProtocol protocol = new DeltaProtocol(NODE, XdsClientConfig.Scope.ON_DEMAND);
    private Instant now = Instant.parse("2026-11-15T12:00:00Z");
    private final List<String> woken = new ArrayList<>();

    @Test
    void whenAStreamOpens_thenAddressesAreSubscribedToAndNotAtOnce_case74() {
        var requests = protocol.open();
        assertThat(requests.getFirst().getTypeUrl()).isEqualTo(XdsType.AUTHORIZATION.url());
        assertThat(requests.getFirst().getResourceNamesSubscribeList()).isEmpty();
        assertThat(addresses(requests).getResourceNamesSubscribeList()).containsExactly("*");
        assertThat(addresses(requests).getResourceNamesUnsubscribeList()).containsExactly("*");
    }

    private static DeltaDiscoveryRequest addresses(List<DeltaDiscoveryRequest> requests) {
        return requests.stream()
                .filter(request -> request.getTypeUrl().equals(XdsType.ADDRESS.url()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void givenAWaiter_whenTheItemComesAmongMany_thenItWakesWithTheStateHoldingIt_case75() {
        var request = demand("/10.0.0.77", () -> {
            assertThat(store.view().workload(POD + "wanted")).isPresent();
            assertThat(store.view().workloadCount()).isEqualTo(10_001);
            woken.add("waiter");
        });
        assertThat(request.orElseThrow().getResourceNamesSubscribeList()).containsExactly("/10.0.0.77");
        var response = response(XdsType.ADDRESS, "n1", resource(pod("wanted", "10.0.0.77")));
        for (int i = 0; i < 10_000; i++) {
            response.addResources(resource(pod("p" + i, "10.1." + i / 250 + "." + i % 250)));
        }
        receive(response);
        assertThat(woken).containsExactly("waiter");
    }

    @Test
    void givenSeveralWaitersOfOneKey_thenOneRequestAndAllAreWoken() {
        assertThat(demand("default/web", () -> woken.add("first"))).isPresent();
        assertThat(demand("default/web", () -> woken.add("second"))).isEmpty();
        receive(response(XdsType.ADDRESS, "n1").addRemovedResources("default/web"));
        assertThat(woken).containsExactly("first", "second");
        assertThat(demand("default/web", () -> woken.add("third"))).isEmpty();
        assertThat(woken).as("it was answered before").containsExactly("first", "second", "third");
    }

    @Test
    void givenAWaiterThatGaveUp_thenTheOthersAreWoken() {
        Demands.Waiter tired = () -> woken.add("tired");
        demand("x/y", tired);
        demand("x/y", () -> woken.add("patient"));
        protocol.abandon("x/y", tired);
        receive(response(XdsType.ADDRESS, "n1").addRemovedResources("x/y"));
        assertThat(woken).containsExactly("patient");
    }

    @Test
    void givenAnUnrelatedItem_thenTheWaiterSleepsOn() {
        demand("/10.0.0.77", () -> woken.add("waiter"));
        receive(response(XdsType.ADDRESS, "n1", resource(pod("other", "10.0.0.78"))));
        assertThat(woken).isEmpty();
    }

    @Test
    void whenReconnecting_thenDemandedKeysAreToldToo() {
        demand("/10.0.0.1", () -> {});
        demand("/10.0.0.2", () -> {});
        demand(POD + "b", () -> {});
        receive(response(XdsType.ADDRESS, "n1", resource(pod("a", "10.0.0.1")), resource(pod("b", "10.0.0.3"))));
        var initial = addresses(protocol.open()).getInitialResourceVersionsMap();
        assertThat(initial).containsOnlyKeys(POD + "a", POD + "b", "/10.0.0.1", "/10.0.0.2");
        assertThat(initial.get("/10.0.0.1")).as("an alias has no version").isEmpty();
        assertThat(initial.get("/10.0.0.2")).as("absent").isEmpty();
        assertThat(initial.get(POD + "b")).isNotEmpty();
    }

    @Test
    void givenKeysThatNobodyUses_thenTheyAreUnsubscribedFromWithWhatTheyBrought() {
        demand("/10.0.0.1", () -> woken.add("a"));
        demand("/10.0.0.2", () -> woken.add("b"));
        receive(response(XdsType.ADDRESS, "n1", resource(pod("a", "10.0.0.1")), resource(pod("b", "10.0.0.2"))));
        now = now.plusSeconds(60);
        demand("/10.0.0.2", () -> woken.add("b again"));
        var request = protocol.forgetIdle(
                now.minusSeconds(30),
                (used, idle) -> {
                    assertThat(used).containsExactly("/10.0.0.2");
                    assertThat(idle).containsExactly("/10.0.0.1");
                    return new Unneeded(idle, List.of(POD + "a", "never/held"));
                },
                store::apply);
        assertThat(request.orElseThrow().getResourceNamesUnsubscribeList())
                .containsExactlyInAnyOrder("/10.0.0.1", POD + "a");
        assertThat(store.view().workload(POD + "a")).isEmpty();
        assertThat(addresses(protocol.open()).getInitialResourceVersionsMap())
                .as("the next stream hears nothing of it")
                .containsOnlyKeys("/10.0.0.2", POD + "b");
        assertThat(demand("/10.0.0.1", () -> woken.add("a anew")))
                .as("it is asked for again")
                .isPresent();
        assertThat(woken).doesNotContain("a anew");
    }

    @Test
    void givenSomebodyWhoStillWaits_thenTheKeyIsNotIdle() {
        demand("/10.0.0.1", () -> woken.add("a"));
        var request = protocol.forgetIdle(
                now,
                (used, idle) -> {
                    assertThat(idle).isEmpty();
                    return new Unneeded(idle, List.of());
                },
                store::apply);
        assertThat(request).isEmpty();
    }

    private Optional<DeltaDiscoveryRequest> demand(String key, Demands.Waiter waiter) {
        return protocol.demand(key, waiter, now);
    }

    private void receive(DeltaDiscoveryResponse.Builder response) {
        try {
            Meshes.receive(protocol, response, store::apply);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
