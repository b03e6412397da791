// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import static io.fathom.wire.xds.AdsClient.first;
import static io.fathom.wire.xds.Fixture.ALL;
import static io.fathom.wire.xds.Fixture.addresses;
import static io.fathom.wire.xds.Fixture.names;
import static io.fathom.wire.xds.Fixture.pod;
import static io.fathom.wire.xds.Fixture.policy;
import static io.fathom.wire.xds.Fixture.service;
import static io.fathom.wire.xds.Fixture.workload;
import static io.fathom.wire.xds.store.XdsType.ADDRESS;
import static io.fathom.wire.xds.store.XdsType.AUTHORIZATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.rpc.Status;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.grpc.Status.Code;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/// The essentials once more, through a real server and a client that is not ours.
@Timeout(60)
class AdsServerTest {
    private static final String POD = "Kubernetes//Pod/default/";

    private final ResourceStore store = new ResourceStore(InstantSource.system());
    private final Recorder recorder = new Recorder();
    private final AdsServer server =
            start(AdsConfig.DEFAULT.withHost("127.0.0.1").withPlaintextPort(0));
    private final int port = server.plaintextPort().orElseThrow();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void givenStoreNotReady_thenUnavailable() throws Exception {
        try (var client = AdsClient.connect(port)) {
            client.subscribe(ADDRESS);
            var status = client.closed.get(10, TimeUnit.SECONDS);
            assertThat(status.getCode()).isEqualTo(Code.UNAVAILABLE);
            assertThat(status.getDescription()).contains("not ready");
        }
    }

    @Test
    void givenWildcard_thenFirstReplyPushesAndRemovals() throws Exception {
        store.publish(addresses(pod("a", "10.0.0.1")));
        try (var client = AdsClient.connect(port)) {
            client.subscribe(ADDRESS);
            assertThat(names(client.take())).containsExactly(POD + "a");
            store.publish(addresses(pod("b", "10.0.0.2")));
            assertThat(names(client.take())).containsExactly(POD + "b");
            store.publish(new ResourceBatch().remove(ADDRESS, POD + "a"));
            var last = client.take();
            assertThat(last.getRemovedResourcesList()).containsExactly(POD + "a");

            client.acknowledge(last);
            await().untilAsserted(() -> assertThat(server.streams().connections())
                    .singleElement()
                    .satisfies(connection -> {
                        assertThat(connection.id()).startsWith("ztunnel-x.istio-system-");
                        assertThat(connection.client().nodeName()).isEqualTo("my-node");
                        assertThat(connection.peer()).contains("127.0.0.1");
                        assertThat(connection.watches()).singleElement().satisfies(watch -> {
                            assertThat(watch.isSynced()).isTrue();
                            assertThat(watch.resourcesSent()).isEqualTo(2);
                            assertThat(watch.bytesSent()).isPositive();
                        });
                    }));
            assertThat(recorder.connected).hasValue(1);
        }
        await().untilAsserted(() -> assertThat(server.streams().size()).isZero());
        await().untilAsserted(() -> assertThat(recorder.connected).hasValue(0));
    }

    /// Seed 000 looks for them with `grep -E 'ADS|delta|WDS|WADS'`.
    @Test
    void whenAStreamBeginsAndEnds_thenTheLogSaysSo() throws Exception {
        var logger = (Logger) LoggerFactory.getLogger(StreamLog.class);
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.INFO);
        try {
            store.publish(addresses(pod("a", "10.0.0.1")));
            try (var client = AdsClient.connect(port)) {
                client.subscribe(ADDRESS);
                assertThat(names(client.take())).containsExactly(POD + "a");
            }
            await().untilAsserted(() -> assertThat(List.copyOf(lines.list))
                    .extracting(line -> line.getFormattedMessage() + " " + line.getKeyValuePairs())
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .startsWith("ADS stream begins")
                                    .contains("ztunnel-x.istio-system-", "mode=\"delta\"", "first=\"WDS\""),
                            line -> assertThat(line)
                                    .startsWith("ADS stream ends")
                                    .contains("types=\"WDS\"", "pushes=\"1\"")));
        } finally {
            logger.setLevel(null);
            logger.detachAppender(lines);
        }
    }

    @Test
    void givenBothSubscriptions_whenAPolicyIsReplaced_thenItComesBeforeTheWorkload_andTheOldOneGoesAfter()
            throws Exception {
        store.publish(
                addresses(workload("uid", List.of(), "n", "", List.of("ns/p"))).put(AUTHORIZATION, policy("ns/p", "")));
        try (var client = AdsClient.connect(port)) {
            client.subscribe(ADDRESS);
            client.subscribe(AUTHORIZATION);
            assertThat(List.of(client.take().getTypeUrl(), client.take().getTypeUrl()))
                    .as("which of them is answered first depends on when the second one arrives")
                    .containsExactlyInAnyOrder(AUTHORIZATION.url(), ADDRESS.url());

            store.publish(addresses(workload("uid", List.of(), "n", "", List.of("ns/q")))
                    .put(AUTHORIZATION, policy("ns/q", ""))
                    .remove(AUTHORIZATION, "ns/p"));
            assertThat(names(client.take())).containsExactly("ns/q");
            assertThat(names(client.take())).containsExactly("uid");
            assertThat(client.take().getRemovedResourcesList()).containsExactly("ns/p");
        }
    }

    @Test
    void givenOnDemand_thenServiceWithEndpointsAndLaterOnes() throws Exception {
        store.publish(addresses(service("web", "10.1.0.1", ""), pod("a", "10.0.0.1", "n", "", "default/web")));
        try (var client = AdsClient.connect(port)) {
            client.send(first(ADDRESS)
                    .addResourceNamesSubscribe(ALL)
                    .addResourceNamesUnsubscribe(ALL)
                    .build());
            assertThat(client.take().getResourcesList()).isEmpty();
            client.send(DeltaDiscoveryRequest.newBuilder()
                    .setTypeUrl(ADDRESS.url())
                    .addResourceNamesSubscribe("/10.1.0.1")
                    .addResourceNamesSubscribe("/10.0.0.99")
                    .build());
            var reply = client.take();
            assertThat(names(reply)).containsExactlyInAnyOrder("default/web", POD + "a");
            assertThat(reply.getRemovedResourcesList()).containsExactly("/10.0.0.99");

            store.publish(addresses(pod("b", "10.0.0.2", "n", "", "default/web"), pod("c", "10.0.0.3")));
            assertThat(names(client.take())).containsExactly(POD + "b");

            client.send(DeltaDiscoveryRequest.newBuilder()
                    .setTypeUrl(ADDRESS.url())
                    .addResourceNamesUnsubscribe("/10.1.0.1")
                    .build());
            assertThat(client.take().getResourcesList()).isEmpty();
            store.publish(addresses(pod("d", "10.0.0.4", "n", "", "default/web"), pod("e", "10.0.0.99")));
            assertThat(names(client.take())).containsExactly(POD + "e");
        }
    }

    @Test
    void whenRefused_thenVisibleAndCounted() throws Exception {
        store.publish(addresses(pod("a", "10.0.0.1")));
        try (var client = AdsClient.connect(port)) {
            client.subscribe(ADDRESS);
            client.send(DeltaDiscoveryRequest.newBuilder()
                    .setTypeUrl(ADDRESS.url())
                    .setResponseNonce(client.take().getNonce())
                    .setErrorDetail(Status.newBuilder().setMessage("no such thing"))
                    .build());
            client.send(DeltaDiscoveryRequest.newBuilder()
                    .setTypeUrl(ADDRESS.url())
                    .setResponseNonce("old")
                    .build());
            await().untilAsserted(() -> assertThat(recorder.expired).hasValue(1));
            assertThat(recorder.refused).hasValue(1);
            assertThat(server.streams()
                            .connections()
                            .getFirst()
                            .watches()
                            .getFirst()
                            .error())
                    .contains("no such thing");
            assertThat(client.takeAll()).isEmpty();
        }
    }

    @Test
    void givenReconnectWithManyNames_thenOnlyTheDifference_case116() throws Exception {
        var batch = new ResourceBatch();
        var request = first(ADDRESS);
        for (int i = 0; i < 60_000; i++) {
            var resource = pod("a-pod-with-a-name-of-common-length-" + i, "10.0.0.1");
            batch.put(ADDRESS, resource);
            request.putInitialResourceVersions(resource.name(), i == 7 ? "1" : resource.version());
        }
        store.publish(batch);
        request.putInitialResourceVersions("gone", "1");
        try (var client = AdsClient.connect(port)) {
            client.send(request.build());
            var reply = client.take();
            assertThat(names(reply)).containsExactly(POD + "a-pod-with-a-name-of-common-length-7");
            assertThat(reply.getRemovedResourcesList()).containsExactly("gone");
        }
        assertThat(recorder.largestRequest.get()).isGreaterThan(4 * 1024 * 1024);
    }

    @Test
    void givenClientThatDoesNotRead_thenOthersAreServedAndItCatchesUp() throws Exception {
        store.publish(addresses(pod("a", "10.0.0.1")));
        try (var stuck = AdsClient.connectWithoutReading(port);
                var other = AdsClient.connect(port)) {
            stuck.subscribe(ADDRESS);
            other.subscribe(ADDRESS);
            assertThat(names(other.take())).containsExactly(POD + "a");

            var note = "x".repeat(100_000);
            for (int i = 1; i <= 200; i++) {
                store.publish(addresses(pod("big-" + (i % 5), "10.0.0.2", "n", i + note)));
                assertThat(names(other.take())).containsExactly(POD + "big-" + (i % 5));
            }
            var sent = server.streams().connections().stream()
                    .mapToLong(connection -> connection.watches().getFirst().bytesSent())
                    .sorted()
                    .toArray();
            assertThat(sent[0]).as("bytes for the client that does not read").isLessThan(1_000_000);
            assertThat(sent[1]).isGreaterThan(20_000_000);

            stuck.read(1_000);
            var versions = new ArrayList<String>();
            await().untilAsserted(() -> {
                stuck.takeAll()
                        .forEach(response ->
                                response.getResourcesList().forEach(resource -> versions.add(resource.getVersion())));
                assertThat(versions)
                        .contains(pod("big-0", "10.0.0.2", "n", 200 + note).version());
            });
            assertThat(versions).hasSizeLessThan(20);
        }
    }

    @Test
    void givenBadFirstRequest_thenClearStatus() throws Exception {
        store.markReady();
        assertRefused(
                DeltaDiscoveryRequest.newBuilder().setTypeUrl(ADDRESS.url()).build(), "missing node");
        assertRefused(
                DeltaDiscoveryRequest.newBuilder()
                        .setTypeUrl(ADDRESS.url())
                        .setNode(Node.newBuilder().setId("ztunnel~10.0.0.1"))
                        .build(),
                "4 parts");
        assertRefused(first(new XdsType("")).build(), "type_url");
    }

    private void assertRefused(DeltaDiscoveryRequest request, String reason) throws Exception {
        try (var client = AdsClient.connect(port)) {
            client.send(request);
            var status = client.closed.get(10, TimeUnit.SECONDS);
            assertThat(status.getCode()).isEqualTo(Code.INVALID_ARGUMENT);
            assertThat(status.getDescription()).contains(reason);
        }
    }

    @Test
    void givenLeadingHealthInformation_thenSkipped() throws Exception {
        store.markReady();
        try (var client = AdsClient.connect(port)) {
            client.send(DeltaDiscoveryRequest.newBuilder()
                    .setTypeUrl(XdsType.HEALTH.url())
                    .build());
            client.subscribe(AUTHORIZATION);
            assertThat(client.take().getTypeUrl()).isEqualTo(AUTHORIZATION.url());
        }
    }

    @Test
    void givenClientThatAsksAndClosesItsSide_thenItStillGetsTheAnswer() throws Exception {
        store.publish(addresses(pod("a", "10.0.0.1")));
        try (var client = AdsClient.connect(port)) {
            client.subscribe(ADDRESS);
            client.halfClose();
            assertThat(names(client.take())).containsExactly(POD + "a");
            assertThat(client.closed.get(10, TimeUnit.SECONDS).isOk()).isTrue();
        }
    }

    @Test
    void givenStateOfTheWorld_thenEverythingOnEachChange() throws Exception {
        store.publish(addresses(pod("a", "10.0.0.1")));
        var channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        var responses = new LinkedBlockingQueue<DiscoveryResponse>();
        try {
            var requests = AggregatedDiscoveryServiceGrpc.newStub(channel)
                    .streamAggregatedResources(new StreamObserver<>() {
                        @Override
                        public void onNext(DiscoveryResponse response) {
                            responses.add(response);
                        }

                        @Override
                        public void onError(Throwable error) {}

                        @Override
                        public void onCompleted() {}
                    });
            requests.onNext(DiscoveryRequest.newBuilder()
                    .setNode(Fixture.nodeMessage("n"))
                    .setTypeUrl(ADDRESS.url())
                    .build());
            var reply = Objects.requireNonNull(responses.poll(10, TimeUnit.SECONDS));
            assertThat(reply.getResourcesList()).hasSize(1);
            store.publish(addresses(pod("b", "10.0.0.2")));
            assertThat(Objects.requireNonNull(responses.poll(10, TimeUnit.SECONDS))
                            .getResourcesList())
                    .hasSize(2);
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void givenTls_thenSameService() throws Exception {
        store.publish(addresses(pod("a", "10.0.0.1")));
        try (var certificate = resource("test-only.pem");
                var key = resource("test-only.key");
                var root = resource("test-only.pem");
                var secure = start(AdsConfig.DEFAULT.withTls(
                        0, GrpcSslContexts.forServer(certificate, key).build()));
                var client = AdsClient.connectTls(secure.tlsPort().orElseThrow(), root)) {
            assertThat(secure.plaintextPort()).isEmpty();
            client.subscribe(ADDRESS);
            assertThat(names(client.take())).containsExactly(POD + "a");
        }
    }

    @Test
    void givenPortInUse_thenProblemSaysSo() {
        assertThatThrownBy(() -> start(AdsConfig.DEFAULT.withHost("127.0.0.1").withPlaintextPort(port)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(":" + port);
    }

    @Test
    void whenServerCloses_thenClientsAreToldToGoElsewhere() throws Exception {
        store.markReady();
        try (var client = AdsClient.connect(port)) {
            client.subscribe(AUTHORIZATION);
            client.take();
            server.close();
            assertThat(client.closed.get(10, TimeUnit.SECONDS).getCode()).isEqualTo(Code.UNAVAILABLE);
        }
    }

    @Test
    void givenBurst_thenMergedIntoFewPushesAndNothingIsLost() throws Exception {
        store.markReady();
        try (var client = AdsClient.connect(port)) {
            client.subscribe(ADDRESS);
            client.take();
            for (int i = 0; i < 2_000; i++) {
                store.publish(addresses(pod("p" + i, "10.0.0.1")));
            }
            var seen = new ArrayList<String>();
            var pushes = 0;
            while (seen.size() < 2_000) {
                seen.addAll(names(client.take()));
                pushes++;
            }
            assertThat(seen).doesNotHaveDuplicates();
            assertThat(pushes).isLessThan(500);
        }
    }

    @Test
    void givenLargeResponsesForMany_thenAllGetThem() throws Exception {
        var batch = new ResourceBatch();
        for (int i = 0; i < 40; i++) {
            batch.put(ADDRESS, pod("p" + i, "10.0.0.1", "n", "x".repeat(100_000)));
        }
        store.publish(batch);
        var tight = AdsConfig.DEFAULT.withPlaintextPort(0).withLimits(AdsLimits.DEFAULT.withLargeBytes(5_000_000));
        var clients = new ArrayList<AdsClient>();
        try (var narrow = start(tight)) {
            for (int i = 0; i < 8; i++) {
                var client = AdsClient.connect(narrow.plaintextPort().orElseThrow());
                clients.add(client);
                client.subscribe(ADDRESS);
            }
            for (var client : clients) {
                assertThat(client.take().getResourcesCount()).isEqualTo(40);
            }
        } finally {
            clients.forEach(AdsClient::close);
        }
    }

    private static java.io.InputStream resource(String name) {
        return Objects.requireNonNull(AdsServerTest.class.getResourceAsStream("/xds/" + name));
    }

    private AdsServer start(AdsConfig config) {
        return AdsServer.start(config, store, recorder, InstantSource.system());
    }

    private static final class Recorder implements XdsObserver {
        final AtomicInteger connected = new AtomicInteger();
        final AtomicInteger refused = new AtomicInteger();
        final AtomicInteger expired = new AtomicInteger();
        final AtomicInteger largestRequest = new AtomicInteger();

        @Override
        public void connected(ClientNode client) {
            connected.incrementAndGet();
        }

        @Override
        public void disconnected(ClientNode client) {
            connected.decrementAndGet();
        }

        @Override
        public void refused(ClientNode client, XdsType type, String error) {
            refused.incrementAndGet();
        }

        @Override
        public void expiredNonce(XdsType type) {
            expired.incrementAndGet();
        }

        @Override
        public void received(int bytes) {
            largestRequest.accumulateAndGet(bytes, Math::max);
        }
    }
}
