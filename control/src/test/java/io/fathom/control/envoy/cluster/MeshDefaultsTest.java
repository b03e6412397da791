// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.wire.kube.meshconfig.MeshTraffic;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.H2Upgrade;
import io.fathom.wire.kube.traffic.TrafficPolicy.Keepalive;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What the mesh says of all clusters, and who may say otherwise.
class MeshDefaultsTest {
    static ProxySettings settings(Optional<Keepalive> keepalive, H2Upgrade upgrade) {
        var nothing = MeshTraffic.NOTHING;
        return ProxySettings.of(new MeshTls(SecretSource.COMPANION, List.of("cluster.local")))
                .within(new MeshTraffic(
                        nothing.protocolDetection(),
                        nothing.connectTimeout(),
                        nothing.paths(),
                        nothing.retries(),
                        nothing.locality(),
                        keepalive,
                        upgrade));
    }

    private static Cluster cluster(ProxySettings settings, AppProtocol protocol, TrafficPolicy policy) {
        return new Clusters(settings)
                .outbound(
                        ProxyRole.INGRESS,
                        Drafts.service().build(),
                        new ServicePort(80, "p", protocol),
                        Drafts.traffic(policy),
                        List::of)
                .getFirst()
                .cluster();
    }

    static Stream<Arguments> upgrades() {
        return Stream.of(
                argumentSet("nobody says", AppProtocol.HTTP11, H2Upgrade.DEFAULT, H2Upgrade.DEFAULT, false),
                argumentSet("the mesh wants it", AppProtocol.HTTP11, H2Upgrade.DEFAULT, H2Upgrade.UPGRADE, true),
                argumentSet("a rule does not", AppProtocol.HTTP11, H2Upgrade.DO_NOT_UPGRADE, H2Upgrade.UPGRADE, false),
                argumentSet("a rule does", AppProtocol.HTTP11, H2Upgrade.UPGRADE, H2Upgrade.DO_NOT_UPGRADE, true),
                argumentSet("perhaps no HTTP", AppProtocol.UNKNOWN, H2Upgrade.DEFAULT, H2Upgrade.UPGRADE, false),
                argumentSet("a rule knows better", AppProtocol.UNKNOWN, H2Upgrade.UPGRADE, H2Upgrade.DEFAULT, true));
    }

    @ParameterizedTest
    @MethodSource("upgrades")
    void whenHttp2IsChosen(AppProtocol protocol, H2Upgrade rule, H2Upgrade mesh, boolean want) throws Exception {
        var cluster = cluster(settings(Optional.empty(), mesh), protocol, Policies.upgrade(rule));

        var options = cluster.getTypedExtensionProtocolOptionsOrThrow(ProtocolOptions.KEY)
                .unpack(HttpProtocolOptions.class);
        assertThat(options.getExplicitHttpConfig().hasHttp2ProtocolOptions()).isEqualTo(want);
    }

    private static long time(Cluster cluster) {
        return cluster.getUpstreamConnectionOptions()
                .getTcpKeepalive()
                .getKeepaliveTime()
                .getValue();
    }

    @Test
    void givenKeepaliveOfTheMesh_thenClustersAndTunnelsHaveItUnlessARuleSaysOtherwise() {
        var mesh = settings(Optional.of(keepalive(60)), H2Upgrade.DEFAULT);

        assertThat(time(cluster(mesh, AppProtocol.TCP, TrafficPolicy.NONE))).isEqualTo(60);
        assertThat(time(cluster(mesh, AppProtocol.TCP, Policies.keepalive(keepalive(5)))))
                .isEqualTo(5);
        assertThat(time(new FixedClusters(mesh).connectOriginate())).isEqualTo(60);
        assertThat(cluster(settings(Optional.empty(), H2Upgrade.DEFAULT), AppProtocol.TCP, TrafficPolicy.NONE)
                        .hasUpstreamConnectionOptions())
                .isFalse();
    }

    private static Keepalive keepalive(int seconds) {
        return new Keepalive(OptionalInt.empty(), Optional.of(Duration.ofSeconds(seconds)), Optional.empty());
    }
}
