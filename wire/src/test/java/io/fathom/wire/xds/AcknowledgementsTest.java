// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import static io.fathom.wire.xds.Fixture.addresses;
import static io.fathom.wire.xds.Fixture.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import com.google.rpc.Status;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.wire.xds.Acknowledgements.AwaitedAnswer;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.Milestone;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class AcknowledgementsTest {
    private static final Node ENVOY = Fixture.nodeMessage("node").toBuilder()
            .setId("waypoint~10.0.0.9~waypoint-1.shop~shop.svc.cluster.local")
            .build();

    private final ResourceStore store = new ResourceStore(InstantSource.system());
    private final ResourceStore feed = new ResourceStore(InstantSource.system());
    private final AdsServer server;
    private final BlockingQueue<AwaitedAnswer> answers = new LinkedBlockingQueue<>();

    AcknowledgementsTest() {
        store.publish(addresses(pod("a", "10.0.0.1")));
        feed.publish(new ResourceBatch());
        server = AdsServer.start(
                AdsConfig.DEFAULT.withHost("127.0.0.1").withPlaintextPort(0),
                store,
                XdsObserver.NONE,
                InstantSource.system(),
                AdsGates.OPEN,
                client -> client.type() == ClientNode.Type.ZTUNNEL ? Optional.empty() : Optional.of(feed));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private AdsClient connect() {
        return AdsClient.connect(server.plaintextPort().orElseThrow());
    }

    /// A node proxy that has all there is.
    private AdsClient nodeProxy() throws InterruptedException {
        var client = connect();
        client.subscribe(XdsType.AUTHORIZATION);
        client.acknowledge(client.take());
        client.subscribe(XdsType.ADDRESS);
        client.acknowledge(client.take());
        return client;
    }

    private AdsClient envoy() {
        var client = connect();
        client.send(AdsClient.first(XdsType.CLUSTER).setNode(ENVOY).build());
        client.send(AdsClient.first(XdsType.LISTENER).build());
        return client;
    }

    private Acknowledgements.Wait awaitNodeProxies() {
        return server.acknowledgements().await(store, Milestone.of(store.head()), answers::add);
    }

    private Acknowledgements.Wait awaitEnvoys(Map<XdsType, Set<String>> names) {
        return server.acknowledgements().await(feed, new Milestone(feed.head().sequence(), names), answers::add);
    }

    private AwaitedAnswer answer() throws InterruptedException {
        var answer = answers.poll(20, TimeUnit.SECONDS);
        return answer == null ? fail("no answer") : answer;
    }

    private static XdsResource resource(String name, String content) {
        return Fixture.resource(name, content.getBytes(StandardCharsets.UTF_8), List.of(), List.of());
    }

    private DeltaDiscoveryResponse take(AdsClient client, XdsType type) throws InterruptedException {
        while (true) {
            var response = client.take();
            if (response.getTypeUrl().equals(type.url())) {
                return response;
            }
            client.acknowledge(response);
        }
    }

    @Test
    void givenNobody_thenAtOnce() {
        try (var _ = awaitNodeProxies()) {
            assertThat(answers).containsExactly(AwaitedAnswer.ACKNOWLEDGED);
        }
    }

    @Test
    void givenANodeProxy_whenItAnswers_thenItIsSaidOnce() throws InterruptedException {
        try (var client = nodeProxy()) {
            store.publish(addresses(pod("b", "10.0.0.2")));
            var wait = awaitNodeProxies();
            var response = client.take();
            assertThat(answers).isEmpty();
            assertThat(wait.lacking()).containsExactly("ztunnel-x.istio-system");
            client.acknowledge(response);
            assertThat(answer()).isEqualTo(AwaitedAnswer.ACKNOWLEDGED);
            var _ = awaitNodeProxies();
            assertThat(answer()).as("it has it already").isEqualTo(AwaitedAnswer.ACKNOWLEDGED);
        }
    }

    @Test
    void givenANodeProxyThatComesMeanwhile_thenItCountsToo() throws InterruptedException {
        try (var first = nodeProxy()) {
            store.publish(addresses(pod("b", "10.0.0.2")));
            var wait = awaitNodeProxies();
            try (var second = connect()) {
                second.subscribe(XdsType.AUTHORIZATION);
                second.acknowledge(second.take());
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> wait.lacking().size() == 2);
                first.acknowledge(first.take());
                second.subscribe(XdsType.ADDRESS);
                var all = second.take();
                second.acknowledge(all);
                assertThat(answer()).isEqualTo(AwaitedAnswer.ACKNOWLEDGED);
            }
        }
    }

    @Test
    void givenANodeProxyThatLeaves_thenThatIsSaid() throws InterruptedException {
        try (var _ = nodeProxy()) {
            store.publish(addresses(pod("b", "10.0.0.2")));
            var _ = awaitNodeProxies();
        }
        assertThat(answer()).isEqualTo(AwaitedAnswer.LEFT);
    }

    @Test
    void givenAWaitThatIsGivenUp_thenNothingIsSaid() throws InterruptedException {
        try (var client = nodeProxy()) {
            store.publish(addresses(pod("b", "10.0.0.2")));
            awaitNodeProxies().close();
            client.acknowledge(client.take());
            var _ = awaitNodeProxies();
            assertThat(answer()).isEqualTo(AwaitedAnswer.ACKNOWLEDGED);
            assertThat(answers).isEmpty();
        }
    }

    @Test
    void givenAnEnvoy_whenItHasTheListener_thenItStillNeedsTheRoutesThatItNames() throws InterruptedException {
        try (var client = envoy()) {
            client.acknowledge(take(client, XdsType.LISTENER));
            feed.publish(new ResourceBatch()
                    .put(XdsType.LISTENER, resource("main", "1"))
                    .put(XdsType.ROUTES, resource("web", "1")));
            var wait = awaitEnvoys(Map.of(XdsType.LISTENER, Set.of("main"), XdsType.ROUTES, Set.of("web")));
            client.acknowledge(take(client, XdsType.LISTENER));
            client.send(AdsClient.first(XdsType.ROUTES)
                    .addResourceNamesSubscribe("web")
                    .build());
            var routes = take(client, XdsType.ROUTES);
            assertThat(answers).isEmpty();
            assertThat(wait.lacking()).containsExactly("waypoint-1.shop");
            client.acknowledge(routes);
            assertThat(answer()).isEqualTo(AwaitedAnswer.ACKNOWLEDGED);
        }
    }

    @Test
    void givenAnEnvoyThatRefuses_thenThatIsSaid_butNotForOtherListeners() throws InterruptedException {
        try (var client = envoy()) {
            client.acknowledge(take(client, XdsType.LISTENER));
            feed.publish(new ResourceBatch()
                    .put(XdsType.LISTENER, resource("main", "1"))
                    .put(XdsType.LISTENER, resource("other", "1")));
            var _ = awaitEnvoys(Map.of(XdsType.LISTENER, Set.of("main")));
            client.send(DeltaDiscoveryRequest.newBuilder()
                    .setTypeUrl(XdsType.LISTENER.url())
                    .setResponseNonce(take(client, XdsType.LISTENER).getNonce())
                    .setErrorDetail(Status.newBuilder().setMessage("Error adding listener(s) other: bad"))
                    .build());
            assertThat(answer()).as("it took the one that matters").isEqualTo(AwaitedAnswer.ACKNOWLEDGED);

            feed.publish(new ResourceBatch().put(XdsType.LISTENER, resource("main", "2")));
            var _ = awaitEnvoys(Map.of(XdsType.LISTENER, Set.of("main")));
            client.send(DeltaDiscoveryRequest.newBuilder()
                    .setTypeUrl(XdsType.LISTENER.url())
                    .setResponseNonce(take(client, XdsType.LISTENER).getNonce())
                    .setErrorDetail(Status.newBuilder().setMessage("Error adding listener(s) main: bad"))
                    .build());
            assertThat(answer()).isEqualTo(AwaitedAnswer.REFUSED);

            feed.publish(new ResourceBatch().put(XdsType.LISTENER, resource("main", "3")));
            var _ = awaitEnvoys(Map.of(XdsType.LISTENER, Set.of("main")));
            client.acknowledge(take(client, XdsType.LISTENER));
            assertThat(answer()).isEqualTo(AwaitedAnswer.ACKNOWLEDGED);
        }
    }
}
