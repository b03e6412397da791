// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import static io.fathom.wire.xds.Fixture.ALL;
import static io.fathom.wire.xds.Fixture.ack;
import static io.fathom.wire.xds.Fixture.addresses;
import static io.fathom.wire.xds.Fixture.delta;
import static io.fathom.wire.xds.Fixture.nack;
import static io.fathom.wire.xds.Fixture.names;
import static io.fathom.wire.xds.Fixture.pod;
import static io.fathom.wire.xds.Fixture.policy;
import static io.fathom.wire.xds.Fixture.request;
import static io.fathom.wire.xds.Fixture.retained;
import static io.fathom.wire.xds.Fixture.workload;
import static io.fathom.wire.xds.store.XdsType.ADDRESS;
import static io.fathom.wire.xds.store.XdsType.AUTHORIZATION;
import static io.fathom.wire.xds.store.XdsType.WORKLOAD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.wire.xds.Fixture;
import io.fathom.wire.xds.ManualClock;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.StoreLimits;
import io.fathom.wire.xds.store.StreamLimits;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Clients that subscribe to everything; numbers are those of the cases in the control plane's fact sheet.
class DeltaStreamTest {
    private final ManualClock clock = new ManualClock();
    private final ResourceStore store = new ResourceStore(clock);
    private final DeltaStream stream = stream();

    @Test
    void givenHeldNews_whenAClientComesBack_thenItKeepsWhatItHasUntilTheyAreReleased() {
        store.holdNews();
        store.publish(addresses(pod("a", "10.0.0.1")));
        stream.receive(request(AUTHORIZATION, List.of(), List.of()));
        stream.receive(request(ADDRESS, List.of(), List.of(), retained("Kubernetes//Pod/default/gone", "1")));
        assertThat(drain()).extracting(DeltaDiscoveryResponse::getTypeUrl).containsExactly(AUTHORIZATION.url());

        var other = stream();
        other.receive(request(ADDRESS, List.of(), List.of()));
        other.receive(request(AUTHORIZATION, List.of(), List.of()));
        assertThat(other.next()).as("one that has nothing").isPresent();
        assertThat(names(delta(other.next().orElseThrow()))).hasSize(1);

        store.releaseNews();
        assertThat(drain()).singleElement().satisfies(reply -> {
            assertThat(names(reply)).containsExactly("Kubernetes//Pod/default/a");
            assertThat(reply.getRemovedResourcesList()).containsExactly("Kubernetes//Pod/default/gone");
        });
    }

    @Test
    void givenEmptyMesh_whenWildcard_thenEmptyReplyForBothTypes_case83() {
        stream.receive(request(ADDRESS, List.of(), List.of()));
        stream.receive(request(AUTHORIZATION, List.of(), List.of()));

        var replies = drain();
        assertThat(replies)
                .extracting(DeltaDiscoveryResponse::getTypeUrl)
                .containsExactly(AUTHORIZATION.url(), ADDRESS.url());
        assertThat(replies).allSatisfy(reply -> {
            assertThat(reply.getResourcesList()).isEmpty();
            assertThat(reply.getRemovedResourcesList()).isEmpty();
            assertThat(reply.getNonce()).isNotEmpty();
            assertThat(reply.getSystemVersionInfo()).isEqualTo("2026-01-01T00:00:00Z/0");
        });
    }

    @Test
    void givenExplicitStar_thenWildcard() {
        store.publish(addresses(pod("a", "10.0.0.1")));
        stream.receive(request(ADDRESS, List.of(ALL), List.of()));

        assertThat(names(only(afterHold()))).containsExactly("Kubernetes//Pod/default/a");
    }

    @Test
    void givenWildcard_whenPodChangesOrGoes_thenOnlyThatIsPushed_case84() {
        store.publish(addresses(pod("a", "10.0.0.1"), pod("b", "10.0.0.2")));
        subscribeToAll(ADDRESS);

        store.publish(addresses(pod("b", "10.0.0.2", "other-node", "changed")));
        var changed = only(drain());
        assertThat(names(changed)).containsExactly("Kubernetes//Pod/default/b");
        assertThat(changed.getResources(0).getAliasesList()).isEmpty();
        assertThat(changed.getResources(0).getResource().getTypeUrl()).isEqualTo(ADDRESS.url());
        assertThat(changed.getResources(0).getVersion()).isNotEmpty();

        store.publish(new ResourceBatch().remove(ADDRESS, "Kubernetes//Pod/default/a"));
        var removed = only(drain());
        assertThat(removed.getRemovedResourcesList()).containsExactly("Kubernetes//Pod/default/a");
        assertThat(removed.getResourcesList()).isEmpty();
    }

    @Test
    void givenWildcard_whenBytesAreEqual_thenNothingIsPushed_case122() {
        store.publish(addresses(pod("a", "10.0.0.1")));
        subscribeToAll(ADDRESS);

        var before = store.head();
        store.publish(addresses(pod("a", "10.0.0.1")).remove(ADDRESS, "unknown"));

        assertThat(store.head()).isSameAs(before);
        assertThat(drain()).isEmpty();
    }

    @Test
    void givenSeveralCutsMissed_thenOneMergedPushWithLatestValues() {
        subscribeToAll(ADDRESS);
        store.publish(addresses(pod("a", "10.0.0.1"), pod("b", "10.0.0.2")));
        store.publish(addresses(pod("a", "10.0.0.1", "n", "two")));
        store.publish(new ResourceBatch().remove(ADDRESS, "Kubernetes//Pod/default/b"));

        var merged = only(drain());
        assertThat(names(merged)).containsExactly("Kubernetes//Pod/default/a");
        assertThat(merged.getResources(0).getVersion())
                .isEqualTo(pod("a", "10.0.0.1", "n", "two").version());
    }

    @Test
    void givenReconnect_thenOnlyTheDifferenceIsSent_case86() {
        var same = pod("same", "10.0.0.1");
        var stale = pod("stale", "10.0.0.2");
        store.publish(addresses(same, stale, pod("new", "10.0.0.3")));

        stream.receive(request(
                ADDRESS,
                List.of(),
                List.of(),
                retained(same.name(), same.version(), stale.name(), "abc", "Kubernetes//Pod/default/gone", "1")));

        var reply = only(afterHold());
        assertThat(names(reply))
                .containsExactlyInAnyOrder("Kubernetes//Pod/default/stale", "Kubernetes//Pod/default/new");
        assertThat(reply.getRemovedResourcesList()).containsExactly("Kubernetes//Pod/default/gone");

        store.publish(addresses(pod("same", "10.0.0.1", "n", "later")));
        assertThat(names(only(drain()))).containsExactly("Kubernetes//Pod/default/same");
    }

    @Test
    void givenReconnectWithCurrentVersions_thenEmptyReply_case86() {
        var same = pod("same", "10.0.0.1");
        store.publish(addresses(same).put(AUTHORIZATION, policy("ns/p", "1")));
        var version = policy("ns/p", "1").version();

        stream.receive(request(ADDRESS, List.of(), List.of(), retained(same.name(), same.version())));
        stream.receive(request(AUTHORIZATION, List.of(), List.of(), retained("ns/p", version, "ns/old", version)));

        var replies = drain();
        assertThat(replies)
                .extracting(DeltaDiscoveryResponse::getTypeUrl)
                .containsExactly(AUTHORIZATION.url(), ADDRESS.url(), AUTHORIZATION.url());
        assertThat(replies)
                .allSatisfy(reply -> assertThat(reply.getResourcesList()).isEmpty());
        assertThat(replies.get(0).getRemovedResourcesList()).isEmpty();
        assertThat(replies.get(1).getRemovedResourcesList()).isEmpty();
        assertThat(replies.get(2).getRemovedResourcesList()).containsExactly("ns/old");
    }

    @Test
    void givenWildcard_whenSpontaneousSubscribe_thenThatNameOnlyAndNoNamesAreStored_case87() {
        store.publish(addresses(pod("a", "10.0.0.1"), pod("b", "10.0.0.2")));
        subscribeToAll(ADDRESS);

        stream.receive(request(ADDRESS, List.of("Kubernetes//Pod/default/a", "unknown"), List.of()));
        var reply = only(drain());
        assertThat(names(reply)).containsExactly("Kubernetes//Pod/default/a");
        assertThat(reply.getRemovedResourcesList()).containsExactly("unknown");

        stream.receive(request(ADDRESS, List.of(), List.of("Kubernetes//Pod/default/a")));
        assertThat(only(drain()).getResourcesList()).isEmpty();

        var status = status(ADDRESS);
        assertThat(status.scope()).isEqualTo(WatchStatus.Scope.WILDCARD);
        assertThat(status.names()).isZero();
        store.publish(addresses(pod("a", "10.0.0.1", "n", "later")));
        assertThat(names(only(drain()))).containsExactly("Kubernetes//Pod/default/a");
    }

    @Test
    void givenPolicies_whenPodsChurn_thenNoPolicyIsPushed_case88() {
        store.publish(new ResourceBatch().put(AUTHORIZATION, policy("ns/p", "1")));
        subscribeToAll(AUTHORIZATION);

        store.publish(addresses(pod("a", "10.0.0.1")));
        store.publish(new ResourceBatch().put(AUTHORIZATION, policy("ns/p", "1")));

        assertThat(drain()).isEmpty();
    }

    @Test
    void whenRefused_thenRecordedAndNotSentAgain_case89() {
        store.publish(addresses(pod("a", "10.0.0.1")));
        subscribeToAll(ADDRESS);
        var sent = status(ADDRESS).sentNonce();

        var receipt = stream.receive(nack(ADDRESS, sent, "bad workload"));

        assertThat(receipt).isEqualTo(new Receipt.Refused(ADDRESS, "bad workload"));
        assertThat(drain()).isEmpty();
        assertThat(status(ADDRESS).error()).contains("bad workload");
        assertThat(status(ADDRESS).refused()).isEqualTo(1);
        assertThat(status(ADDRESS).isSynced()).isFalse();

        stream.receive(ack(ADDRESS, sent));
        assertThat(status(ADDRESS).error()).isEmpty();
        assertThat(status(ADDRESS).isSynced()).isTrue();
    }

    @Test
    void whenNonceIsOld_thenCountedAndNotAcknowledged_case89() {
        store.publish(addresses(pod("a", "10.0.0.1")));
        subscribeToAll(ADDRESS);
        var first = status(ADDRESS).sentNonce();
        store.publish(addresses(pod("b", "10.0.0.2")));
        var second = only(drain()).getNonce();

        assertThat(stream.receive(ack(ADDRESS, first))).isEqualTo(new Receipt.Expired(ADDRESS));
        assertThat(status(ADDRESS).isSynced()).isFalse();
        assertThat(stream.receive(ack(ADDRESS, second))).isEqualTo(new Receipt.Acknowledged(ADDRESS));
        assertThat(status(ADDRESS).isSynced()).isTrue();
        assertThat(drain()).isEmpty();
    }

    @Test
    void givenBothTypes_whenWorkloadNamesNewPolicy_thenPolicyComesFirstAndGoesLast_case113() {
        subscribeToAll(AUTHORIZATION);
        subscribeToAll(ADDRESS);

        store.publish(addresses(guarded("ns/p")).put(AUTHORIZATION, policy("ns/p", "1")));
        assertThat(drain())
                .extracting(DeltaDiscoveryResponse::getTypeUrl)
                .containsExactly(AUTHORIZATION.url(), ADDRESS.url());

        store.publish(addresses(guarded("ns/q"))
                .put(AUTHORIZATION, policy("ns/q", "1"))
                .remove(AUTHORIZATION, "ns/p"));
        var steps = drain();
        assertThat(steps)
                .extracting(DeltaDiscoveryResponse::getTypeUrl)
                .containsExactly(AUTHORIZATION.url(), ADDRESS.url(), AUTHORIZATION.url());
        assertThat(steps.get(0).getRemovedResourcesList()).isEmpty();
        assertThat(steps.get(2).getRemovedResourcesList()).containsExactly("ns/p");
    }

    @Test
    void givenPolicyRemovedAndAddedAgainWhileClientWaits_thenItStays() {
        subscribeToAll(AUTHORIZATION);
        subscribeToAll(ADDRESS);
        store.publish(addresses(guarded("ns/p")).put(AUTHORIZATION, policy("ns/p", "1")));
        drain();

        store.publish(addresses(guarded("ns/q")).remove(AUTHORIZATION, "ns/p"));
        assertThat(stream.next().map(XdsResponse::type)).contains(ADDRESS);
        store.publish(new ResourceBatch().put(AUTHORIZATION, policy("ns/p", "2")));

        var rest = only(drain());
        assertThat(names(rest)).containsExactly("ns/p");
        assertThat(rest.getRemovedResourcesList()).isEmpty();
    }

    @Test
    void givenFreshStream_whenPoliciesAreSubscribedJustAfterAddresses_thenPoliciesGoFirst() {
        store.publish(addresses(guarded("ns/p")).put(AUTHORIZATION, policy("ns/p", "1")));
        stream.receive(request(ADDRESS, List.of(), List.of()));

        assertThat(stream.next()).isEmpty();
        assertThat(stream.wakeAt()).contains(clock.instant().plusMillis(20));
        clock.advance(Duration.ofMillis(5));
        stream.receive(request(AUTHORIZATION, List.of(), List.of()));

        assertThat(drain())
                .extracting(DeltaDiscoveryResponse::getTypeUrl)
                .containsExactly(AUTHORIZATION.url(), ADDRESS.url());
        assertThat(stream.wakeAt()).isEmpty();
    }

    @Test
    void givenNoPoliciesSubscribed_thenAddressesComeAfterAShortWait() {
        store.publish(addresses(pod("a", "10.0.0.1")));
        stream.receive(request(ADDRESS, List.of(), List.of()));
        clock.advance(Duration.ofMillis(19));
        assertThat(stream.next()).isEmpty();
        clock.advance(Duration.ofMillis(1));
        assertThat(stream.next()).isPresent();
        assertThat(stream.wakeAt()).isEmpty();
    }

    @Test
    void givenBareWorkloads_thenServicesAreLeftOutAndBodiesAreUnwrapped() throws Exception {
        store.publish(addresses(pod("a", "10.0.0.1"), Fixture.service("web", "10.1.0.1", "")));
        stream.receive(request(WORKLOAD, List.of(), List.of()));

        var reply = only(afterHold());
        assertThat(names(reply)).containsExactly("Kubernetes//Pod/default/a");
        assertThat(reply.getResources(0).getVersion())
                .isEqualTo(pod("a", "10.0.0.1").version());
        var any = reply.getResources(0).getResource();
        assertThat(any.getTypeUrl()).isEqualTo(WORKLOAD.url());
        assertThat(io.fathom.wire.proto.workload.Workload.parseFrom(any.getValue())
                        .getUid())
                .isEqualTo("Kubernetes//Pod/default/a");

        store.publish(addresses(Fixture.service("web", "10.1.0.1", "changed")));
        assertThat(drain()).isEmpty();
    }

    @Test
    void givenUnknownType_thenOneEmptyReply() {
        var clusters = new XdsType("type.googleapis.com/envoy.config.cluster.v3.Cluster");
        stream.receive(request(clusters, List.of(), List.of()));

        var reply = only(drain());
        assertThat(reply.getTypeUrl()).isEqualTo(clusters.url());
        assertThat(reply.getResourcesList()).isEmpty();
        store.publish(addresses(pod("a", "10.0.0.1")));
        assertThat(drain()).isEmpty();
    }

    @Test
    void givenNamesOfATypeThatIsNotServed_thenTheClientIsToldThatTheyAreGone_once() {
        var clusters = new XdsType("type.googleapis.com/envoy.config.cluster.v3.Cluster");
        stream.receive(request(clusters, List.of("a"), List.of(), retained("b", "1")));
        assertThat(only(drain()).getRemovedResourcesList()).containsExactlyInAnyOrder("a", "b");

        store.publish(addresses(pod("a", "10.0.0.1")));
        assertThat(drain()).isEmpty();
        stream.receive(request(clusters, List.of("c"), List.of("a")));
        assertThat(only(drain()).getRemovedResourcesList()).containsExactly("c");
    }

    @Test
    void givenManyResources_thenRepliesAreSplit() {
        var small = new ResourceStore(clock, StoreLimits.DEFAULT, 1_000);
        var batch = new ResourceBatch();
        for (int i = 0; i < 100; i++) {
            batch.put(ADDRESS, pod("pod-" + i, "10.0.0." + i));
        }
        small.publish(batch);
        var split = new DeltaStream(Fixture.client("n"), small, StreamLimits.DEFAULT, clock);
        split.receive(request(ADDRESS, List.of(), List.of()));
        clock.advance(Duration.ofMillis(20));

        var seen = new ArrayList<String>();
        for (var next = split.next(); next.isPresent(); next = split.next()) {
            assertThat(next.get().size()).isLessThan(1_400);
            seen.addAll(names(delta(next.get())));
        }
        assertThat(seen).hasSize(100).doesNotHaveDuplicates();
    }

    @Test
    void givenHealthInformation_thenNoReply() {
        stream.receive(request(XdsType.HEALTH, List.of(), List.of()));
        assertThat(drain()).isEmpty();
        assertThat(stream.statuses()).isEmpty();
    }

    @Test
    void givenNoType_thenRejected() {
        assertThatThrownBy(() -> stream.receive(request(new XdsType(""), List.of(), List.of())))
                .isInstanceOf(StreamRejection.class)
                .hasMessageContaining("type_url");
    }

    @Test
    void givenTooManyTypesOrNames_thenRejected() {
        var narrow = new DeltaStream(Fixture.client("n"), store, new StreamLimits(2, 1, 1_000, Duration.ZERO), clock);
        assertThatThrownBy(() -> narrow.receive(request(ADDRESS, List.of("a", "b", "c"), List.of())))
                .isInstanceOf(StreamRejection.class)
                .hasMessageContaining("at most 2 names");
        narrow.receive(request(ADDRESS, List.of("a"), List.of()));
        assertThatThrownBy(() -> narrow.receive(request(AUTHORIZATION, List.of(), List.of())))
                .isInstanceOf(StreamRejection.class)
                .hasMessageContaining("at most 1 types");
    }

    @Test
    void givenWildcardStreamsAtTheSamePlace_thenTheyShareOneResponse() {
        subscribeToAll(ADDRESS);
        var other = stream();
        other.receive(request(ADDRESS, List.of(), List.of()));
        clock.advance(Duration.ofMillis(20));
        other.next();
        store.publish(addresses(pod("a", "10.0.0.1")));

        assertThat(stream.next().orElseThrow()).isSameAs(other.next().orElseThrow());
    }

    private static XdsResource guarded(String policy) {
        return workload("uid", List.of("/10.0.0.1"), "n", "", List.of(policy));
    }

    private DeltaStream stream() {
        return new DeltaStream(Fixture.client("my-node"), store, StreamLimits.DEFAULT, clock);
    }

    private void subscribeToAll(XdsType type) {
        stream.receive(request(type, List.of(), List.of()));
        assertThat(afterHold()).isNotEmpty();
    }

    private List<DeltaDiscoveryResponse> afterHold() {
        clock.advance(Duration.ofMillis(20));
        return drain();
    }

    private List<DeltaDiscoveryResponse> drain() {
        var responses = new ArrayList<DeltaDiscoveryResponse>();
        for (Optional<XdsResponse> next = stream.next(); next.isPresent(); next = stream.next()) {
            responses.add(delta(next.get()));
        }
        return responses;
    }

    private WatchStatus status(XdsType type) {
        return stream.statuses().stream()
                .filter(status -> status.type().equals(type))
                .findFirst()
                .orElseThrow();
    }

    private static DeltaDiscoveryResponse only(List<DeltaDiscoveryResponse> responses) {
        assertThat(responses).hasSize(1);
        return responses.getFirst();
    }
}
