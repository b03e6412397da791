package io.fathom.wire.xds.client;

import static io.fathom.wire.xds.client.Meshes.NODE;
import static io.fathom.wire.xds.client.Meshes.POD;
import static io.fathom.wire.xds.client.Meshes.pod;
import static io.fathom.wire.xds.client.Meshes.resource;
import static io.fathom.wire.xds.client.Meshes.response;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.model.routing.MeshStore;
import io.fathom.wire.xds.XdsType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A client that asks for what it needs: cases 74 and 75, and weakness o (aliases, several waiters).
class OnDemandProtocolTest {
    private final MeshStore store = new MeshStore(Optional.empty());
    private final DeltaProtocol protocol = new DeltaProtocol(NODE, XdsClientConfig.Scope.ON_DEMAND);
    private final List<String> woken = new ArrayList<>();

    @Test
    void whenAStreamOpens_thenAddressesAreSubscribedToAndNotAtOnce_case74() {
        var requests = protocol.open();
        assertThat(requests.getFirst().getTypeUrl()).isEqualTo(XdsType.AUTHORIZATION.url());
        assertThat(requests.getFirst().getResourceNamesSubscribeList()).isEmpty();
        assertThat(requests.getLast().getResourceNamesSubscribeList()).containsExactly("*");
        assertThat(requests.getLast().getResourceNamesUnsubscribeList()).containsExactly("*");
    }

    @Test
    void givenAWaiter_whenTheItemComesAmongMany_thenItWakesWithTheStateHoldingIt_case75() {
        var request = protocol.demand("/10.0.0.77", () -> {
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
        assertThat(protocol.demand("default/web", () -> woken.add("first"))).isPresent();
        assertThat(protocol.demand("default/web", () -> woken.add("second"))).isEmpty();
        receive(response(XdsType.ADDRESS, "n1").addRemovedResources("default/web"));
        assertThat(woken).containsExactly("first", "second");
        assertThat(protocol.demand("default/web", () -> woken.add("third"))).isEmpty();
        assertThat(woken).as("it was answered before").containsExactly("first", "second", "third");
    }

    @Test
    void givenAWaiterThatGaveUp_thenTheOthersAreWoken() {
        Demands.Waiter tired = () -> woken.add("tired");
        protocol.demand("x/y", tired);
        protocol.demand("x/y", () -> woken.add("patient"));
        protocol.abandon("x/y", tired);
        receive(response(XdsType.ADDRESS, "n1").addRemovedResources("x/y"));
        assertThat(woken).containsExactly("patient");
    }

    @Test
    void givenAnUnrelatedItem_thenTheWaiterSleepsOn() {
        protocol.demand("/10.0.0.77", () -> woken.add("waiter"));
        receive(response(XdsType.ADDRESS, "n1", resource(pod("other", "10.0.0.78"))));
        assertThat(woken).isEmpty();
    }

    @Test
    void whenReconnecting_thenDemandedKeysAreToldToo() {
        protocol.demand("/10.0.0.1", () -> {});
        protocol.demand("/10.0.0.2", () -> {});
        protocol.demand(POD + "b", () -> {});
        receive(response(XdsType.ADDRESS, "n1", resource(pod("a", "10.0.0.1")), resource(pod("b", "10.0.0.3"))));
        var initial = protocol.open().getLast().getInitialResourceVersionsMap();
        assertThat(initial).containsOnlyKeys(POD + "a", POD + "b", "/10.0.0.1", "/10.0.0.2");
        assertThat(initial.get("/10.0.0.1")).as("an alias has no version").isEmpty();
        assertThat(initial.get("/10.0.0.2")).as("absent").isEmpty();
        assertThat(initial.get(POD + "b")).isNotEmpty();
    }

    private void receive(DeltaDiscoveryResponse.Builder response) {
        try {
            Meshes.receive(protocol, response, store::apply);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
