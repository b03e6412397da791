// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import static io.fathom.wire.xds.Fixture.ack;
import static io.fathom.wire.xds.Fixture.delta;
import static io.fathom.wire.xds.Fixture.nack;
import static io.fathom.wire.xds.Fixture.names;
import static io.fathom.wire.xds.Fixture.request;
import static io.fathom.wire.xds.Fixture.retained;
import static io.fathom.wire.xds.store.XdsType.CLUSTER;
import static io.fathom.wire.xds.store.XdsType.ENDPOINTS;
import static io.fathom.wire.xds.store.XdsType.EXTENSION;
import static io.fathom.wire.xds.store.XdsType.LISTENER;
import static io.fathom.wire.xds.store.XdsType.ROUTES;
import static io.fathom.wire.xds.store.XdsType.SECRET;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.xds.Fixture;
import io.fathom.wire.xds.ManualClock;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.StreamLimits;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class EnvoyStreamTest {
    private final ManualClock clock = new ManualClock();
    private final ResourceStore store = new ResourceStore(clock);
    private final List<Consumer<TlsIdentity>> minted = new ArrayList<>();
    private int left;
    private final OwnSecrets own = new OwnSecrets(this::mint, clock);
    private final EnvoyStream stream = new EnvoyStream(store, own, StreamLimits.DEFAULT, clock);

    @Test
    void givenFirstStream_whenEnvoyAsksStepByStep_thenEachStepIsAnswered() {
        publish(CLUSTER, "a", "1");
        publish(ENDPOINTS, "a", "1");
        publish(LISTENER, "main", "1");

        subscribe(CLUSTER);
        var clusters = only();
        assertThat(names(clusters)).containsExactly("a");
        subscribe(ENDPOINTS, "a");
        assertThat(names(only())).containsExactly("a");
        accept(clusters);
        subscribe(LISTENER);
        assertThat(names(only())).containsExactly("main");
    }

    @Test
    void givenOwnSecrets_whenAskedFor_thenTheyAreMade_andSentBeforeClustersAreReady_andAgainWhenRenewed() {
        publish(CLUSTER, "a", "1");
        publish(SECRET, "kubernetes://b", "1");
        subscribe(CLUSTER);
        var _ = only();
        assertThat(minted).isEmpty();
        subscribe(SECRET, "default", "ROOTCA", "kubernetes://b");
        assertThat(words(all())).containsExactly("sds kubernetes://b");
        assertThat(minted).hasSize(1);
        minted.getFirst().accept(identity());
        var first = only();
        assertThat(names(first)).containsExactlyInAnyOrder("default", "ROOTCA");
        accept(first);
        assertThat(told()).isEmpty();
        minted.getFirst().accept(identity());
        assertThat(names(only())).containsExactlyInAnyOrder("default", "ROOTCA");
        assertThat(minted).hasSize(1);
        own.close();
        assertThat(left).isEqualTo(1);
    }

    private Optional<AutoCloseable> mint(Consumer<TlsIdentity> listener) {
        minted.add(listener);
        return Optional.of(() -> left++);
    }

    private static TlsIdentity identity() {
        var keys = KeyAlgorithm.P256.generate();
        var start = Instant.parse("2026-11-16T12:00:00Z");
        var root = RootCertificate.create(keys, "test", start, Duration.ofDays(1));
        return new TlsIdentity(keys.getPrivate(), List.of(root), List.of(root));
    }

    @Test
    void givenNothingToServe_whenEnvoyAsksForEverything_thenItIsAnsweredAllTheSame() {
        subscribe(CLUSTER);
        assertThat(only().getResourcesCount()).isZero();
        subscribe(LISTENER);
        assertThat(only().getResourcesCount()).isZero();
    }

    @Test
    void givenChangedCluster_whenPushed_thenItsEndpointsFollowUnasked() {
        serve("a", "b");
        publish(CLUSTER, "b", "2");

        assertThat(told()).containsExactly("cds b", "eds b");
    }

    @Test
    void givenClusterNotAcknowledged_whenListenersChangeToo_thenTheyWait() {
        serve("a");
        publish(new ResourceBatch().put(CLUSTER, resource("a", "2")).put(LISTENER, resource("main", "2")));

        var responses = all();
        assertThat(words(responses)).containsExactly("cds a", "eds a");
        accept(responses.getFirst());
        assertThat(told()).containsExactly("lds main");
    }

    @Test
    void givenClusterThatNeverGetsReady_whenSomeTimeHasPassed_thenListenersComeAllTheSame() {
        serve("a");
        publish(new ResourceBatch().put(CLUSTER, resource("a", "2")).put(LISTENER, resource("main", "2")));

        assertThat(words(all())).containsExactly("cds a", "eds a");
        assertThat(stream.wakeAt()).isPresent();
        clock.advance(Duration.ofSeconds(4));
        assertThat(told()).containsExactly("lds main");
    }

    @Test
    void givenClusterAndItsRouteGone_whenPushed_thenTheClusterGoesLast() {
        serve("a", "b");
        publish(new ResourceBatch().remove(CLUSTER, "b").remove(ENDPOINTS, "b").put(LISTENER, resource("main", "2")));

        assertThat(told()).containsExactly("lds main", "cds -b");
    }

    @Test
    void givenNameThatDoesNotExist_whenSubscribed_thenSomethingEmptyIsSent() {
        subscribe(ENDPOINTS, "none");
        subscribe(ROUTES, "http.80");

        assertThat(told()).containsExactly("eds none", "rds http.80");
    }

    @Test
    void givenSecretThatDoesNotExist_whenItAppears_thenItIsSent() {
        subscribe(SECRET, "cert");
        assertThat(told()).isEmpty();
        publish(SECRET, "cert", "1");
        assertThat(told()).containsExactly("sds cert");
    }

    @Test
    void givenExtensionGone_whenPushed_thenNothingIsSaid() {
        publish(EXTENSION, "wasm", "1");
        subscribe(EXTENSION, "wasm");
        assertThat(told()).containsExactly("ecds wasm");
        publish(new ResourceBatch().remove(EXTENSION, "wasm"));
        assertThat(told()).isEmpty();
    }

    @Test
    void givenReconnect_whenNothingHasChanged_thenOnlyEndpointsAreRepeatedAfterClusters() {
        publish(CLUSTER, "a", "1");
        publish(ENDPOINTS, "a", "1");
        publish(LISTENER, "main", "1");

        stream.receive(request(ENDPOINTS, List.of("a"), List.of(), retained("a", version("1"))));
        stream.receive(request(LISTENER, List.of(), List.of(), retained("main", version("1"))));
        stream.receive(request(CLUSTER, List.of(), List.of(), retained("a", version("1"))));

        assertThat(told()).containsExactly("cds", "eds a", "lds");
    }

    @Test
    void givenReconnect_whenSomethingIsGone_thenItIsRemoved() {
        publish(CLUSTER, "a", "1");

        stream.receive(request(CLUSTER, List.of(), List.of(), retained("a", version("1"), "old", version("1"))));

        assertThat(told()).containsExactly("cds", "cds -old");
    }

    @Test
    void givenRefusal_whenNothingChanges_thenNothingIsSentAgainAndTheNameIsKnown() {
        serve("a");
        publish(new ResourceBatch().put(LISTENER, resource("main", "2")).put(LISTENER, resource("good", "1")));
        var response = only();

        var receipt = stream.receive(
                nack(LISTENER, response.getNonce(), "Error adding/updating listener(s) main: no such filter"));

        assertThat(receipt)
                .isEqualTo(new Receipt.Refused(
                        LISTENER,
                        "Error adding/updating listener(s) main: no such filter",
                        Optional.of(new Verdict(
                                LISTENER, List.of("main"), store.head().sequence()))));
        assertThat(told()).isEmpty();
        assertThat(stream.statuses())
                .filteredOn(status -> status.type().equals(LISTENER))
                .singleElement()
                .satisfies(status -> assertThat(status.error()).isPresent());
    }

    @Test
    void givenRouteTablesRefusedTogether_whenTold_thenTheyAreSentAgainOneByOne_andOnlyTheBadOneIsAccused() {
        for (var name : List.of("a", "b", "c")) {
            publish(ROUTES, name, "1");
        }
        subscribe(ROUTES, "a", "b", "c");
        var together = only();
        assertThat(names(together)).containsExactly("a", "b", "c");
        assertThat(refuse(together, "no such regex").names()).isEmpty();

        var first = only();
        assertThat(names(first)).containsExactly("a");
        publish(ROUTES, "a", "2");
        assertThat(told()).as("before the answer").isEmpty();
        accept(first);
        var second = only();
        assertThat(names(second)).containsExactly("b");
        assertThat(refuse(second, "no such regex").names()).containsExactly("b");
        var third = only();
        assertThat(names(third)).containsExactly("c");
        accept(third);
        assertThat(names(only())).as("what changed meanwhile").containsExactly("a");
        assertThat(told()).isEmpty();
    }

    @Test
    void givenListenersRefusedTogether_whenTold_thenNothingIsSentAgain() {
        publish(LISTENER, "first", "1");
        publish(LISTENER, "second", "1");
        subscribe(LISTENER);
        assertThat(refuse(only(), "no such filter in second").names()).containsExactly("second");
        assertThat(told()).isEmpty();
    }

    @Test
    void givenAComplaintThatIsCutShort_thenWhatItMayBeAboutIsSentAgainOneByOne() {
        publish(LISTENER, "first", "1");
        publish(LISTENER, "second", "1");
        subscribe(LISTENER);
        assertThat(refuse(only(), "no such filter in first ...(truncated)").names())
                .isEmpty();
        var accused = new ArrayList<String>();
        for (int i = 0; i < 2; i++) {
            var single = only();
            assertThat(names(single)).hasSize(1);
            accused.addAll(refuse(single, "no such filter ...(truncated)").names());
        }
        assertThat(accused).containsExactlyInAnyOrder("first", "second");
        assertThat(told()).isEmpty();
    }

    @Test
    void givenEndpointsOfOthers_whenTheyChange_thenNothingIsSent() {
        serve("a");
        publish(ENDPOINTS, "b", "7");
        assertThat(told()).isEmpty();
    }

    @Test
    void givenUnsubscribed_whenEndpointsChange_thenNothingIsSent() {
        serve("a", "b");
        stream.receive(request(ENDPOINTS, List.of(), List.of("b")));
        publish(ENDPOINTS, "b", "7");
        assertThat(told()).isEmpty();
    }

    /// Brings the client to where all of this is live.
    private void serve(String... clusters) {
        var batch = new ResourceBatch().put(LISTENER, resource("main", "1"));
        for (var cluster : clusters) {
            batch.put(CLUSTER, resource(cluster, "1")).put(ENDPOINTS, resource(cluster, "1"));
        }
        publish(batch);
        subscribe(CLUSTER);
        var first = only();
        subscribe(ENDPOINTS, clusters);
        accept(only());
        accept(first);
        subscribe(LISTENER);
        accept(only());
    }

    private void publish(XdsType type, String name, String content) {
        publish(new ResourceBatch().put(type, resource(name, content)));
    }

    private void publish(ResourceBatch batch) {
        store.publish(batch);
    }

    private static XdsResource resource(String name, String content) {
        return Fixture.resource(name, content.getBytes(StandardCharsets.UTF_8), List.of(), List.of());
    }

    private static String version(String content) {
        return resource("", content).version();
    }

    private void subscribe(XdsType type, String... names) {
        stream.receive(request(type, List.of(names), List.of()));
    }

    private void accept(DeltaDiscoveryResponse response) {
        stream.receive(ack(new XdsType(response.getTypeUrl()), response.getNonce()));
    }

    /// What is accused.
    private Verdict refuse(DeltaDiscoveryResponse response, String error) {
        var receipt = stream.receive(nack(new XdsType(response.getTypeUrl()), response.getNonce(), error));
        return ((Receipt.Refused) receipt).verdict().orElseThrow();
    }

    private DeltaDiscoveryResponse only() {
        var responses = all();
        assertThat(responses).hasSize(1);
        return responses.getFirst();
    }

    private List<DeltaDiscoveryResponse> all() {
        var result = new ArrayList<DeltaDiscoveryResponse>();
        for (var next = stream.next(); next.isPresent(); next = stream.next()) {
            result.add(delta(next.get()));
        }
        return result;
    }

    private List<String> told() {
        var responses = all();
        responses.forEach(this::accept);
        return words(responses);
    }

    private static List<String> words(List<DeltaDiscoveryResponse> responses) {
        return responses.stream()
                .map(response -> {
                    var text = new StringBuilder(new XdsType(response.getTypeUrl()).label());
                    names(response).forEach(name -> text.append(' ').append(name));
                    response.getRemovedResourcesList()
                            .forEach(name -> text.append(" -").append(name));
                    return text.toString();
                })
                .toList();
    }
}
