package io.fathom.wire.xds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProxyFeedsTest {
    private final ResourceStore feed = new ResourceStore(InstantSource.system());
    private final ProxyFeeds feeds =
            client -> client.type() == ClientNode.Type.ZTUNNEL ? Optional.empty() : Optional.of(feed);
    private final AdsEndpoint endpoint = new AdsEndpoint(
            AdsConfig.DEFAULT,
            new ResourceStore(InstantSource.system()),
            Generator.NONE,
            XdsObserver.NONE,
            InstantSource.system(),
            feeds);

    @AfterEach
    void close() {
        endpoint.close();
    }

    @Test
    void givenEnvoy_whenItAsksIncrementally_thenItGetsItsFeed() {
        var stream = endpoint.open(Connection.Protocol.DELTA, envoy(), XdsType.CLUSTER);
        assertThat(stream)
                .isInstanceOfSatisfying(
                        EnvoyStream.class, own -> assertThat(own.store()).isSameAs(feed));
    }

    @Test
    void givenEnvoyWithTheOtherProtocol_whenItAsksForClusters_thenItIsToldWhatToChange() {
        assertThatThrownBy(() -> endpoint.open(Connection.Protocol.STATE_OF_THE_WORLD, envoy(), XdsType.CLUSTER))
                .isInstanceOfSatisfying(
                        StreamRejection.class,
                        rejection -> assertThat(rejection.reason()).contains("DELTA_GRPC"));
    }

    @Test
    void givenNodeProxy_whenItAsks_thenItIsServedAsBefore() {
        assertThat(endpoint.open(Connection.Protocol.DELTA, Fixture.client("node"), XdsType.ADDRESS))
                .isInstanceOf(DeltaStream.class);
    }

    private static ClientNode envoy() {
        return ClientNode.parse(Fixture.nodeMessage("node").toBuilder()
                .setId("waypoint~10.0.0.9~waypoint-1.shop~shop.svc.cluster.local")
                .build()
                .toByteString());
    }
}
