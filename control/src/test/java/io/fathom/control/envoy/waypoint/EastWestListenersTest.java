// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.xds.type.matcher.v3.Matcher;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.fathom.control.envoy.cluster.SecretSource;
import io.fathom.control.envoy.waypoint.ServicePart.PortPart;
import io.fathom.control.envoy.waypoint.WaypointSettings.Workloads;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.wire.kube.meshconfig.MeshTraffic;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EastWestListenersTest {
    private static final WaypointSettings SETTINGS =
            WaypointListenersTest.settings(WaypointListenersTest.V4, Workloads.NOT_SERVED);
    private static final String OWN = "spiffe://cluster.local/ns/shop/sa/waypoint";

    /// Case 86.
    @Test
    void givenNothingForOtherNetworks_thenThereIsAChainThatNothingLeadsTo() {
        assertThat(EastWestListeners.of(SETTINGS, List.of(), Optional.empty()))
                .extracting(Listener::getName)
                .containsExactly("connect_terminate", "main_internal", "forward_inner_connect");
        assertThat(main(List.of()).getFilterChainsList())
                .extracting(FilterChain::getName)
                .containsExactly("BlackHoleCluster");
    }

    @Test
    void givenServiceWithWaypoint_thenOnlyWhoMayGoesStraightToIt() {
        var chain = FilterChain.newBuilder().setName("to-waypoint").build();
        var exempt = Set.of(Detour.exempt(TunnelSource.WAYPOINT, OWN));
        var listener = main(List.of(part(Optional.of(new Detour(chain, exempt)))));

        assertThat(listener.getFilterChainsList())
                .extracting(FilterChain::getName)
                .containsExactly("straight", "to-waypoint");
        assertThat(listener.getListenerFiltersList()).hasSize(1); // nobody looks into what is inside
        var bySource = byHost(listener);
        assertThat(bySource.getMatcherTree().getInput().getName()).isEqualTo("request-source-filter-state");
        assertThat(bySource.getMatcherTree().getExactMatchMap().getMapMap())
                .containsOnlyKeys("waypoint " + OWN)
                .allSatisfy((_, then) -> assertThat(then.getAction().getName()).isEqualTo("straight"));
        assertThat(bySource.getOnNoMatch().getAction().getName()).isEqualTo("to-waypoint");
    }

    @Test
    void givenLimitForTheFirstBytes_thenBytesArePassedOnAfterItOrNever() {
        var limited = main(with(Duration.ofMillis(1500)), List.of());
        assertThat(limited.getListenerFiltersTimeout().getSeconds()).isEqualTo(1);
        assertThat(limited.getListenerFiltersTimeout().getNanos()).isEqualTo(500_000_000);
        assertThat(limited.getContinueOnListenerFiltersTimeout()).isTrue();
        var patient = main(with(Duration.ZERO), List.of());
        assertThat(patient.hasListenerFiltersTimeout()).isTrue();
        assertThat(patient.getContinueOnListenerFiltersTimeout()).isFalse();
        assertThat(main(List.of()).hasListenerFiltersTimeout()).isFalse();
    }

    private static WaypointSettings with(Duration detection) {
        return new WaypointSettings(
                SETTINGS.trustDomains(),
                SETTINGS.network(),
                SETTINGS.families(),
                SETTINGS.clientIdentity(),
                SETTINGS.workloads(),
                new MeshTraffic(
                        Optional.of(detection),
                        Optional.empty(),
                        MeshTraffic.PathNormalization.BASE,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        MeshTraffic.NOTHING.upgrade()),
                SecretSource.COMPANION);
    }

    private static ServicePart part(Optional<Detour> detour) {
        var service = WaypointListenersTest.part("echo", AppProtocol.TCP, 80, "10.0.0.1")
                .service();
        var straight = FilterChain.newBuilder().setName("straight").build();
        return new ServicePart(service, List.of(PortPart.forTunnels(80, straight, detour)));
    }

    private static Matcher byHost(Listener listener) {
        return listener.getFilterChainMatcher()
                .getMatcherTree()
                .getExactMatchMap()
                .getMapOrThrow("echo.shop.svc.cluster.local:80")
                .getMatcher();
    }

    private static Listener main(List<ServicePart> parts) {
        return main(SETTINGS, parts);
    }

    private static Listener main(WaypointSettings settings, List<ServicePart> parts) {
        return EastWestListeners.of(settings, parts, Optional.empty()).get(1);
    }
}
