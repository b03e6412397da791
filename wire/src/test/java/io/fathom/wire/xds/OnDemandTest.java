// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import static io.fathom.wire.xds.Fixture.ALL;
import static io.fathom.wire.xds.Fixture.addresses;
import static io.fathom.wire.xds.Fixture.delta;
import static io.fathom.wire.xds.Fixture.names;
import static io.fathom.wire.xds.Fixture.pod;
import static io.fathom.wire.xds.Fixture.request;
import static io.fathom.wire.xds.Fixture.retained;
import static io.fathom.wire.xds.Fixture.service;
import static io.fathom.wire.xds.store.XdsType.ADDRESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.StreamLimits;
import io.fathom.wire.xds.stream.DeltaStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Clients that ask for what they need: case 85 of the fact sheet in small steps, and 114.
class OnDemandTest {
    private static final String POD = "Kubernetes//Pod/default/";
    private static final String WEB = "default/web";

    private final ManualClock clock = new ManualClock();
    private final ResourceStore store = new ResourceStore(clock);
    private final DeltaStream stream = new DeltaStream(Fixture.client("my-node"), store, StreamLimits.DEFAULT, clock);

    @BeforeEach
    void givenAnEmptySubscription() {
        store.publish(addresses(pod("a", "10.0.0.1"), pod("b", "10.0.0.2")));
        stream.receive(request(ADDRESS, List.of(ALL), List.of(ALL)));
        clock.advance(Duration.ofMillis(20));
        var reply = only(drain());
        assertThat(reply.getResourcesList()).isEmpty();
        assertThat(reply.getRemovedResourcesList()).isEmpty();
    }

    @Test
    void whenUnrelatedPodChanges_thenSilence() {
        store.publish(addresses(pod("c", "10.0.0.3")));
        assertThat(drain()).isEmpty();
    }

    @Test
    void whenSubscribedByAddress_thenSentWithAliasAndFollowed() {
        var reply = ask("/10.0.0.1");
        assertThat(names(reply)).containsExactly(POD + "a");
        assertThat(reply.getResources(0).getAliasesList()).containsExactly("/10.0.0.1");
        assertThat(reply.getRemovedResourcesList()).isEmpty();

        store.publish(addresses(pod("a", "10.0.0.1", "n", "changed"), pod("b", "10.0.0.2", "n", "changed")));
        assertThat(names(only(drain()))).containsExactly(POD + "a");

        store.publish(new ResourceBatch().remove(ADDRESS, POD + "a").remove(ADDRESS, POD + "b"));
        assertThat(only(drain()).getRemovedResourcesList()).containsExactly(POD + "a");

        store.publish(addresses(pod("heir", "10.0.0.1")));
        assertThat(names(only(drain()))).containsExactly(POD + "heir");
    }

    @Test
    void whenSubscribedByUid_thenSent() {
        assertThat(names(ask(POD + "b"))).containsExactly(POD + "b");
    }

    @Test
    void whenTwoShareAnAddress_thenBothAreSent() {
        store.publish(addresses(pod("twin", "10.0.0.1")));
        assertThat(names(ask("/10.0.0.1"))).containsExactlyInAnyOrder(POD + "a", POD + "twin");
    }

    @Test
    void whenUnknown_thenRemovedNowAndSentWhenItAppears() {
        assertThat(ask("/10.0.0.77").getRemovedResourcesList()).containsExactly("/10.0.0.77");

        store.publish(addresses(pod("late", "10.0.0.77")));
        assertThat(names(only(drain()))).containsExactly(POD + "late");
    }

    @Test
    void whenPodOfOwnNodeAppears_thenSentUnasked() {
        store.publish(addresses(pod("local", "10.0.0.3", "my-node", "")));
        assertThat(names(only(drain()))).containsExactly(POD + "local");

        store.publish(new ResourceBatch().remove(ADDRESS, POD + "local"));
        assertThat(only(drain()).getRemovedResourcesList()).containsExactly(POD + "local");
    }

    @Test
    void givenPodsOnOwnNode_whenConnecting_thenTheyAreInTheFirstReply() {
        store.publish(addresses(pod("local", "10.0.0.3", "my-node", "")));
        var second = new DeltaStream(Fixture.client("my-node"), store, StreamLimits.DEFAULT, clock);
        second.receive(request(ADDRESS, List.of(ALL), List.of(ALL)));
        clock.advance(Duration.ofMillis(20));
        assertThat(names(delta(second.next().orElseThrow()))).containsExactly(POD + "local");
    }

    @Test
    void whenSubscribedByVirtualAddress_thenServiceAndItsPodsAreSent() {
        store.publish(addresses(service("web", "10.1.0.1", ""), pod("a", "10.0.0.1", "n", "", WEB)));
        assertThat(names(ask("/10.1.0.1"))).containsExactlyInAnyOrder(WEB, POD + "a");
        assertThat(names(ask(WEB))).containsExactlyInAnyOrder(WEB, POD + "a");
    }

    @Test
    void givenSubscribedService_whenEndpointAppears_thenPushed_case114() {
        store.publish(addresses(service("web", "10.1.0.1", "")));
        assertThat(names(ask("/10.1.0.1"))).containsExactly(WEB);

        store.publish(
                addresses(pod("new", "10.0.0.9", "n", "", WEB), pod("foreign", "10.0.0.8", "n", "", "default/db")));
        assertThat(names(only(drain()))).containsExactly(POD + "new");

        store.publish(addresses(pod("new", "10.0.0.9", "n", "left the service")));
        assertThat(names(only(drain()))).containsExactly(POD + "new");
    }

    @Test
    void givenAskedServiceThatAppearsLater_thenItsUnchangedPodsComeWithIt() {
        store.publish(addresses(pod("a", "10.0.0.1", "n", "", WEB)));
        assertThat(ask("/10.1.0.1").getRemovedResourcesList()).containsExactly("/10.1.0.1");
        drain();

        store.publish(addresses(service("web", "10.1.0.1", "")));
        assertThat(names(only(drain()))).containsExactlyInAnyOrder(WEB, POD + "a");
    }

    @Test
    void whenUnsubscribed_thenAnsweredEmptyAndSilentAfterwards() {
        store.publish(addresses(service("web", "10.1.0.1", ""), pod("a", "10.0.0.1", "n", "", WEB)));
        ask("/10.1.0.1");
        ask(POD + "b");

        stream.receive(request(ADDRESS, List.of(), List.of("/10.1.0.1")));
        var reply = only(drain());
        assertThat(reply.getResourcesList()).isEmpty();
        assertThat(reply.getRemovedResourcesList()).isEmpty();

        store.publish(addresses(service("web", "10.1.0.1", "x"), pod("a", "10.0.0.1", "n", "x", WEB)));
        assertThat(drain()).isEmpty();
        store.publish(addresses(pod("b", "10.0.0.2", "n", "x")));
        assertThat(names(only(drain()))).containsExactly(POD + "b");
    }

    @Test
    void whenUnsubscribedFromOneOfTwoReasons_thenStillFollowed() {
        store.publish(addresses(service("web", "10.1.0.1", ""), pod("a", "10.0.0.1", "n", "", WEB)));
        ask("/10.1.0.1");
        ask("/10.0.0.1");

        stream.receive(request(ADDRESS, List.of(), List.of("/10.1.0.1")));
        drain();
        store.publish(addresses(pod("a", "10.0.0.1", "n", "x", WEB)));
        assertThat(names(only(drain()))).containsExactly(POD + "a");
    }

    @Test
    void whenReconnecting_thenOnlyTheDifferenceIsSent_case86() {
        var second = new DeltaStream(Fixture.client("my-node"), store, StreamLimits.DEFAULT, clock);
        var held = pod("a", "10.0.0.1");
        second.receive(request(
                ADDRESS,
                List.of(ALL),
                List.of(ALL),
                retained(held.name(), held.version(), "/10.0.0.2", "", POD + "gone", "12")));
        clock.advance(Duration.ofMillis(20));

        var reply = delta(second.next().orElseThrow());
        assertThat(names(reply)).containsExactly(POD + "b");
        assertThat(reply.getRemovedResourcesList()).containsExactly(POD + "gone");

        store.publish(addresses(pod("a", "10.0.0.1", "n", "changed")));
        assertThat(names(delta(second.next().orElseThrow()))).containsExactly(POD + "a");
    }

    @Test
    void whenPodsComeAndGo_thenTheSubscriptionDoesNotGrow() {
        store.publish(addresses(service("web", "10.1.0.1", "")));
        ask("/10.1.0.1");
        for (int i = 0; i < 100; i++) {
            store.publish(addresses(pod("p" + i, "10.0.1." + i, "n", "", WEB)));
            assertThat(names(only(drain()))).hasSize(1);
            store.publish(new ResourceBatch().remove(ADDRESS, POD + "p" + i));
            assertThat(only(drain()).getRemovedResourcesList()).hasSize(1);
        }
        assertThat(stream.statuses().iterator().next().names()).isEqualTo(1);
    }

    @Test
    void whenSwitchingToWildcardAndBack_thenEverythingThenNothing() {
        stream.receive(request(ADDRESS, List.of(ALL), List.of()));
        assertThat(names(only(drain()))).containsExactlyInAnyOrder(POD + "a", POD + "b");
        store.publish(addresses(pod("c", "10.0.0.3")));
        assertThat(names(only(drain()))).containsExactly(POD + "c");

        stream.receive(request(ADDRESS, List.of(), List.of(ALL)));
        assertThat(only(drain()).getResourcesList()).isEmpty();
        store.publish(addresses(pod("d", "10.0.0.4")));
        assertThat(drain()).isEmpty();
    }

    @Test
    void givenRange_whenAskedByBaseAddress_thenFound() {
        store.publish(addresses(Fixture.resource(
                "default/range", service("range", "", "").body(), List.of("/10.9.0.0/24"), List.of("/10.9.0.0"))));
        assertThat(names(ask("/10.9.0.0"))).containsExactly("default/range");
        assertThat(names(ask("/10.9.0.0/24"))).containsExactly("default/range");
    }

    private DeltaDiscoveryResponse ask(String name) {
        stream.receive(request(ADDRESS, List.of(name), List.of()));
        return only(drain());
    }

    private List<DeltaDiscoveryResponse> drain() {
        var responses = new ArrayList<DeltaDiscoveryResponse>();
        for (var next = stream.next(); next.isPresent(); next = stream.next()) {
            responses.add(delta(next.get()));
        }
        return responses;
    }

    private static DeltaDiscoveryResponse only(List<DeltaDiscoveryResponse> responses) {
        assertThat(responses).hasSize(1);
        return responses.getFirst();
    }
}
