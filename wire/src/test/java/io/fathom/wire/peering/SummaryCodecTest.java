// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.ExportedService;
import io.fathom.model.peering.ExportedService.ExportedPort;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.peering.ServiceEndpoints.PeerEndpoint;
import io.fathom.model.peering.ServiceSummary;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SummaryCodecTest {
    @Test
    void givenEndpoints_whenTheyTravel_thenTheyAreTheSame() {
        var sent = endpoints("10.1.0.1", "fd00::1");

        assertThat(SummaryCodec.endpoints("shop/web", bytes(sent))).isEqualTo(sent);
        assertThat(SummaryCodec.resource(sent).name()).isEqualTo("shop/web");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"127.0.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1", "::1", "fe80::1", "::ffff:127.0.0.1"})
    void givenAddressThatIsNobodysOnANetwork_thenItIsRefused(String address) {
        assertThatThrownBy(() -> SummaryCodec.endpoints("shop/web", bytes(endpoints(address))))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("is no address of a pod");
    }

    @Test
    void givenSummary_whenItTravels_thenItIsTheSame_andOneWithAnUnreadableWishIsRefused() {
        var sent = summary("PreferClose");
        var bytes = ByteString.copyFrom(SummaryCodec.resource(sent).body());
        assertThat(SummaryCodec.service("shop/web", bytes)).isEqualTo(sent);

        var bad = ByteString.copyFrom(SummaryCodec.resource(summary("a b")).body());
        assertThatThrownBy(() -> SummaryCodec.service("shop/web", bad)).hasMessageContaining("distribution");
    }

    @Test
    void givenAnExport_whenItTravels_thenItIsTheSame_andOneThatNoServerWouldTakeIsRefused() {
        var sent = summary("", Optional.of(export("http", "TCP", "a")));
        var bytes = ByteString.copyFrom(SummaryCodec.resource(sent).body());
        assertThat(SummaryCodec.service("shop/web", bytes)).isEqualTo(sent);

        for (var bad :
                List.of(export("Not-A-Name", "TCP", "a"), export("http", "ICMP", "a"), export("http", "TCP", "-"))) {
            var damaged = ByteString.copyFrom(
                    SummaryCodec.resource(summary("", Optional.of(bad))).body());
            assertThatThrownBy(() -> SummaryCodec.service("shop/web", damaged))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("of its export make no sense");
        }
    }

    private static ExportedService export(String port, String protocol, String label) {
        return new ExportedService(
                Instant.ofEpochSecond(7),
                ExportedService.ExportType.HEADLESS,
                List.of(new ExportedPort(port, 80, protocol, "kubernetes.io/h2c")),
                List.of(Ip.Family.V6, Ip.Family.V4),
                Optional.of(60),
                "Local",
                "PreferClose",
                Map.of("team", label, "a.example/b", ""),
                Map.of("note", "any text: it is an annotation"));
    }

    private static ServiceSummary summary(String distribution) {
        return summary(distribution, Optional.empty());
    }

    private static ServiceSummary summary(String distribution, Optional<ExportedService> export) {
        return new ServiceSummary(
                "shop",
                "web",
                List.of(new Port(80, 8080, AppProtocol.GRPC)),
                List.of(new ServiceSummary.LocalityShare(new Locality("r", "z", ""), 2)),
                3,
                List.of("shop/web"),
                ServiceSummary.NameScope.BOTH_NAMES,
                distribution,
                export);
    }

    @Test
    void givenEndpointsOfAnotherService_thenTheyAreRefused() {
        assertThatThrownBy(() -> SummaryCodec.endpoints("shop/other", bytes(endpoints("10.1.0.1"))))
                .hasMessageContaining("another one");
    }

    /// Whatever comes, it is read or refused.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void givenDamagedBytes_thenTheyAreRefusedOrRead(long seed) {
        var random = new Random(seed);
        var good = bytes(endpoints("10.1.0.1", "10.1.0.2")).toByteArray();
        for (int i = 0; i < 2_000; i++) {
            var bad = good.clone();
            for (int j = 0; j <= random.nextInt(4); j++) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            try {
                assertThat(SummaryCodec.endpoints("shop/web", ByteString.copyFrom(bad))
                                .path())
                        .isEqualTo("shop/web");
            } catch (ProblemException e) {
                assertThat(e.problem().code()).isEqualTo("peer-summary-refused");
            }
        }
    }

    private static ByteString bytes(ServiceEndpoints endpoints) {
        return ByteString.copyFrom(SummaryCodec.resource(endpoints).body());
    }

    private static ServiceEndpoints endpoints(String... addresses) {
        return new ServiceEndpoints(
                "shop",
                "web",
                List.of(new PeerEndpoint(
                        Stream.of(addresses)
                                .map(text -> Ip.parse(text).orElseThrow())
                                .toList(),
                        "shop/web",
                        List.of(new Port(80, 8080, AppProtocol.HTTP11)),
                        Workload.TunnelProtocol.HBONE,
                        Workload.Health.HEALTHY,
                        new Locality("r", "z", ""),
                        2)));
    }
}
