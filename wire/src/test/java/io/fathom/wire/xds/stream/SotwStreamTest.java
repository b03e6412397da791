// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import static io.fathom.wire.xds.Fixture.ack;
import static io.fathom.wire.xds.Fixture.addresses;
import static io.fathom.wire.xds.Fixture.nack;
import static io.fathom.wire.xds.Fixture.pod;
import static io.fathom.wire.xds.Fixture.policy;
import static io.fathom.wire.xds.Fixture.request;
import static io.fathom.wire.xds.Fixture.service;
import static io.fathom.wire.xds.store.XdsType.ADDRESS;
import static io.fathom.wire.xds.store.XdsType.AUTHORIZATION;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.fathom.wire.proto.workload.Address;
import io.fathom.wire.xds.Fixture;
import io.fathom.wire.xds.ManualClock;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.StreamLimits;
import io.fathom.wire.xds.store.XdsType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SotwStreamTest {
    private static final String POD = "Kubernetes//Pod/default/";
    private static final XdsType ENDPOINTS =
            new XdsType("type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment");

    private final ManualClock clock = new ManualClock();
    private final ResourceStore store = new ResourceStore(clock);
    private final SotwStream stream = new SotwStream(store, StreamLimits.DEFAULT, clock);

    @Test
    void givenEmptyMesh_whenWildcard_thenEmptyReplies() {
        stream.receive(request(ADDRESS, List.of(), List.of()));
        stream.receive(request(AUTHORIZATION, List.of(), List.of()));
        assertThat(drain())
                .extracting(DiscoveryResponse::getTypeUrl)
                .containsExactly(AUTHORIZATION.url(), ADDRESS.url());
    }

    @Test
    void givenWildcard_whenSomethingChanges_thenEverythingIsSent() {
        store.publish(addresses(pod("a", "10.0.0.1"), pod("b", "10.0.0.2")));
        var first = subscribe(List.of());
        assertThat(uids(first)).containsExactlyInAnyOrder(POD + "a", POD + "b");
        assertThat(first.getNonce()).isNotEmpty();
        assertThat(first.getVersionInfo()).isNotEmpty();

        store.publish(addresses(pod("b", "10.0.0.2", "n", "x")));
        assertThat(uids(only())).containsExactlyInAnyOrder(POD + "a", POD + "b");
        store.publish(new ResourceBatch().remove(ADDRESS, POD + "a"));
        assertThat(uids(only())).containsExactly(POD + "b");
        store.publish(new ResourceBatch().put(AUTHORIZATION, policy("ns/p", "")));
        assertThat(drain()).isEmpty();
    }

    @Test
    void givenNames_thenOnlyThoseAndWhatBelongsToThem() {
        store.publish(addresses(
                pod("a", "10.0.0.1", "n", "", "default/web"), pod("b", "10.0.0.2"), service("web", "10.1.0.1", "")));
        var reply = subscribe(List.of("/10.1.0.1"));
        assertThat(uids(reply)).containsExactlyInAnyOrder(POD + "a", "");

        store.publish(addresses(pod("b", "10.0.0.2", "n", "x")));
        assertThat(drain()).isEmpty();
        store.publish(addresses(pod("c", "10.0.0.3", "n", "", "default/web")));
        assertThat(uids(only())).containsExactlyInAnyOrder(POD + "a", POD + "c", "");
        store.publish(new ResourceBatch().remove(ADDRESS, POD + "a"));
        assertThat(uids(only())).containsExactlyInAnyOrder(POD + "c", "");
    }

    @Test
    void whenAcknowledgedWithMoreNames_thenAnswered_withFewer_thenNot() {
        store.publish(addresses(pod("a", "10.0.0.1"), pod("b", "10.0.0.2")));
        var first = subscribe(List.of("/10.0.0.1"));

        stream.receive(withNonce(List.of("/10.0.0.1", "/10.0.0.2"), first.getNonce()));
        var second = only();
        assertThat(uids(second)).containsExactlyInAnyOrder(POD + "a", POD + "b");
        assertThat(stream.receive(withNonce(List.of("/10.0.0.1"), second.getNonce())))
                .isEqualTo(new Receipt.Acknowledged(ADDRESS));
        assertThat(drain()).isEmpty();
    }

    @Test
    void whenRefusedOrStale_thenNotSentAgain() {
        store.publish(addresses(pod("a", "10.0.0.1")));
        var first = subscribe(List.of());
        assertThat(stream.receive(nack(ADDRESS, first.getNonce(), "no"))).isEqualTo(new Receipt.Refused(ADDRESS, "no"));
        assertThat(stream.receive(ack(ADDRESS, "old"))).isEqualTo(new Receipt.Expired(ADDRESS));
        assertThat(drain()).isEmpty();
        assertThat(stream.statuses()).singleElement().satisfies(status -> {
            assertThat(status.error()).contains("no");
            assertThat(status.isSynced()).isFalse();
        });
    }

    @Test
    void givenPoliciesAddedAndWorkloads_thenPoliciesFirst_removedOnly_thenLast() {
        stream.receive(request(ADDRESS, List.of(), List.of()));
        stream.receive(request(AUTHORIZATION, List.of(), List.of()));
        drain();

        store.publish(addresses(pod("a", "10.0.0.1")).put(AUTHORIZATION, policy("ns/p", "")));
        assertThat(drain())
                .extracting(DiscoveryResponse::getTypeUrl)
                .containsExactly(AUTHORIZATION.url(), ADDRESS.url());
        store.publish(addresses(pod("a", "10.0.0.1", "n", "x")).remove(AUTHORIZATION, "ns/p"));
        assertThat(drain())
                .extracting(DiscoveryResponse::getTypeUrl)
                .containsExactly(ADDRESS.url(), AUTHORIZATION.url());
    }

    @Test
    void givenTypeWithoutWildcard_whenNoNames_thenUnsubscribed() {
        stream.receive(request(ENDPOINTS, List.of("cluster"), List.of()));
        assertThat(drain()).hasSize(1);
        stream.receive(request(ENDPOINTS, List.of(), List.of()));
        assertThat(drain()).isEmpty();
        assertThat(stream.statuses()).isEmpty();
    }

    private static XdsRequest withNonce(List<String> names, String nonce) {
        return new XdsRequest(
                Optional.empty(), ADDRESS, names, List.of(), InitialVersions.NONE, nonce, Optional.empty(), 0);
    }

    private DiscoveryResponse subscribe(List<String> names) {
        stream.receive(request(ADDRESS, names, List.of()));
        assertThat(stream.next()).isEmpty();
        clock.advance(Duration.ofMillis(20));
        return only();
    }

    private DiscoveryResponse only() {
        var responses = drain();
        assertThat(responses).hasSize(1);
        return responses.getFirst();
    }

    private List<DiscoveryResponse> drain() {
        var responses = new ArrayList<DiscoveryResponse>();
        for (var next = stream.next(); next.isPresent(); next = stream.next()) {
            responses.add(Fixture.sotw(next.get()));
        }
        return responses;
    }

    private static List<String> uids(DiscoveryResponse response) {
        return response.getResourcesList().stream()
                .map(any -> {
                    try {
                        return Address.parseFrom(any.getValue()).getWorkload().getUid();
                    } catch (InvalidProtocolBufferException e) {
                        throw new AssertionError(e);
                    }
                })
                .toList();
    }
}
