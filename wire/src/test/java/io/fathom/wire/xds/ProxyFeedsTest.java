// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.envoyproxy.envoy.config.core.v3.Node;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.Connection;
import io.fathom.wire.xds.stream.DeltaStream;
import io.fathom.wire.xds.stream.EnvoyStream;
import io.fathom.wire.xds.stream.StreamGate;
import io.fathom.wire.xds.stream.StreamRejection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProxyFeedsTest {
    private static final Node ENVOY = Fixture.nodeMessage("node").toBuilder()
            .setId("waypoint~10.0.0.9~waypoint-1.shop~shop.svc.cluster.local")
            .build();

    private final ResourceStore feed = new ResourceStore(InstantSource.system());
    private final ProxyFeeds feeds =
            client -> client.type() == ClientNode.Type.ZTUNNEL ? Optional.empty() : Optional.of(feed);
    private final AdsEndpoint endpoint = new AdsEndpoint(
            AdsConfig.DEFAULT,
            new ResourceStore(InstantSource.system()),
            XdsObserver.NONE,
            InstantSource.system(),
            feeds);

    @AfterEach
    void close() {
        endpoint.close();
    }

    @Test
    void givenEnvoy_whenItAsksIncrementally_thenItGetsItsFeed() {
        var stream = endpoint.open(Connection.Protocol.DELTA, envoy(), XdsType.CLUSTER, StreamGate.NodeCheck.NONE);
        assertThat(stream)
                .isInstanceOfSatisfying(
                        EnvoyStream.class, own -> assertThat(own.store()).isSameAs(feed));
    }

    @Test
    void givenEnvoyWithTheOtherProtocol_whenItAsksForClusters_thenItIsToldWhatToChange() {
        assertThatThrownBy(() -> endpoint.open(
                        Connection.Protocol.STATE_OF_THE_WORLD, envoy(), XdsType.CLUSTER, StreamGate.NodeCheck.NONE))
                .isInstanceOfSatisfying(
                        StreamRejection.class,
                        rejection -> assertThat(rejection.reason()).contains("DELTA_GRPC"));
    }

    @Test
    void givenNodeProxy_whenItAsks_thenItIsServedAsBefore() {
        assertThat(endpoint.open(
                        Connection.Protocol.DELTA, Fixture.client("node"), XdsType.ADDRESS, StreamGate.NodeCheck.NONE))
                .isInstanceOf(DeltaStream.class);
    }

    @Test
    void givenAnEnvoy_whenItsStreamEnds_thenItsFeedIsGivenBackOnce() {
        var given = new AtomicInteger();
        var back = new AtomicInteger();
        var counting = new ProxyFeeds() {
            @Override
            public Optional<ResourceStore> feed(ClientNode client) {
                given.incrementAndGet();
                return Optional.of(feed);
            }

            @Override
            public void left(ResourceStore store) {
                assertThat(store).isSameAs(feed);
                back.incrementAndGet();
            }
        };
        var store = new ResourceStore(InstantSource.system());
        store.publish(new ResourceBatch());
        feed.publish(new ResourceBatch());
        var config = AdsConfig.DEFAULT.withHost("127.0.0.1").withPlaintextPort(0);
        try (var server =
                AdsServer.start(config, store, XdsObserver.NONE, InstantSource.system(), AdsGates.OPEN, counting)) {
            var port = server.plaintextPort().orElseThrow();
            try (var one = AdsClient.connect(port);
                    var _ = AdsClient.connect(port)) { // the other one never says who it is
                one.send(AdsClient.first(XdsType.CLUSTER).setNode(ENVOY).build());
                await().atMost(Duration.ofSeconds(30)).until(() -> given.get() == 1);
                assertThat(back).hasValue(0);
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> back.get() == 1);
            try (var two = AdsClient.connect(port)) {
                two.send(AdsClient.first(XdsType.CLUSTER).setNode(ENVOY).build());
                await().atMost(Duration.ofSeconds(30)).until(() -> given.get() == 2);
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> back.get() == 2);
        }
        assertThat(back).hasValue(2);
    }

    private static ClientNode envoy() {
        return ClientNode.parse(ENVOY.toByteString());
    }
}
