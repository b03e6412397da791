// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.listener.v3.ListenerFilter;
import io.fathom.control.envoy.cluster.SecretSource;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.ClusterName.ClusterLayer;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.waypoint.ServicePart.PortPart;
import io.fathom.control.envoy.waypoint.ServicePart.PortPart.Encryption;
import io.fathom.control.envoy.waypoint.WaypointSettings.ClientIdentity;
import io.fathom.control.envoy.waypoint.WaypointSettings.Workloads;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.meshconfig.MeshTraffic;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WaypointListenersTest {
    static final Set<Ip.Family> V4 = Set.of(Ip.Family.V4);

    /// Case 86.
    @Test
    void givenNothing_whenConfigured_thenThereIsAChainThatNothingLeadsTo() {
        var main = main(settings(V4, Workloads.NOT_SERVED), List.of(), List.of());
        assertThat(main.getFilterChainsList())
                .singleElement()
                .satisfies(chain -> assertThat(chain.getName()).isEqualTo("BlackHoleCluster"));
        assertThat(main.hasFilterChainMatcher()).isTrue();
    }

    /// Case 22.
    @Test
    void givenAddressesOfBothFamilies_whenProxiesHaveOne_thenOnlyThatOneIsServed() {
        var part = part("echo", AppProtocol.HTTP11, 80, "10.0.0.1", "fd00::1");
        assertThat(main(settings(V4, Workloads.NOT_SERVED), List.of(part), List.of())
                        .toString())
                .contains("10.0.0.1")
                .doesNotContain("fd00::1");
        assertThat(main(settings(Set.of(Ip.Family.V4, Ip.Family.V6), Workloads.NOT_SERVED), List.of(part), List.of())
                        .toString())
                .contains("10.0.0.1")
                .contains("fd00::1");
    }

    @Test
    void givenBothFamilies_whenConfigured_thenTunnelsAreTakenOnBoth() {
        var terminate = WaypointListeners.of(
                        settings(Set.of(Ip.Family.V4, Ip.Family.V6), Workloads.NOT_SERVED),
                        List.of(),
                        List.of(),
                        new DirectChains(List.of(), List.of()),
                        Optional.empty())
                .getFirst();
        assertThat(terminate.getAddress().getSocketAddress().getAddress()).isEqualTo("0.0.0.0");
        assertThat(terminate
                        .getAdditionalAddresses(0)
                        .getAddress()
                        .getSocketAddress()
                        .getAddress())
                .isEqualTo("::");
    }

    @Test
    void givenAddressOfAnotherNetwork_whenConfigured_thenItIsNotServed() {
        var other = part("echo", AppProtocol.HTTP11, 80);
        var main = main(settings(V4, Workloads.NOT_SERVED), List.of(other), List.of());
        assertThat(main.getFilterChainMatcher().toString()).doesNotContain("echo.shop");
    }

    /// Cases 19 and 20.
    @Test
    void givenPorts_whenTheirProtocolsAreKnown_thenBytesAreLookedAtOnlyWhereNeeded() {
        var http = part("a", AppProtocol.HTTP11, 80, "10.0.0.1");
        var bytes = part("b", AppProtocol.TCP, 80, "10.0.0.2");
        var unknown = part("c", AppProtocol.UNKNOWN, 7000, "10.0.0.3");
        var services = settings(V4, Workloads.NOT_SERVED);
        assertThat(inspector(main(services, List.of(http), List.of()))).isEmpty();
        assertThat(inspector(main(services, List.of(http, bytes), List.of())))
                .hasValueSatisfying(
                        filter -> assertThat(filter.hasFilterDisabled()).isFalse());
        assertThat(inspector(main(services, List.of(http, unknown), List.of())))
                .hasValueSatisfying(filter -> assertThat(filter.getFilterDisabled()
                                .getDestinationPortRange()
                                .getStart())
                        .isEqualTo(80));
        assertThat(inspector(main(settings(V4, Workloads.SERVED), List.of(http), List.of())))
                .hasValueSatisfying(
                        filter -> assertThat(filter.hasFilterDisabled()).isFalse());
    }

    private static Optional<ListenerFilter> inspector(Listener listener) {
        return listener.getListenerFiltersList().stream()
                .filter(filter -> filter.getName().endsWith("http_inspector"))
                .findFirst();
    }

    private static Listener main(WaypointSettings settings, List<ServicePart> parts, List<Ip> workloads) {
        return WaypointListeners.of(
                        settings, parts, workloads, new DirectChains(List.of(), List.of()), Optional.empty())
                .get(1);
    }

    static WaypointSettings settings(Set<Ip.Family> families, Workloads workloads) {
        return new WaypointSettings(
                List.of("cluster.local"),
                "",
                families,
                ClientIdentity.WITHHELD,
                workloads,
                MeshTraffic.NOTHING,
                SecretSource.COMPANION);
    }

    static ServicePart part(String name, AppProtocol protocol, int number, String... addresses) {
        var host = name + ".shop.svc.cluster.local";
        var service = new Service(
                name,
                "shop",
                host,
                Arrays.stream(addresses)
                        .map(ip -> NetworkAddress.of("", Ip.parse(ip).orElseThrow()))
                        .toList(),
                List.of(),
                List.of(),
                ServiceWaypoints.NONE,
                LoadBalancing.NONE,
                Service.IpFamilies.AUTOMATIC,
                Service.Canonical.YES,
                Service.Visibility.PUBLIC);
        var key = new ObjectKey("Kubernetes", "shop", name);
        var metadata = new Metadata(key, "", Map.of(), Map.of(), Instant.EPOCH, Metadata.Lifecycle.ACTIVE);
        var port = new ServicePort(number, "", protocol);
        var mesh = new MeshService(
                service, metadata, MeshService.Origin.SERVICE, List.of(port), MeshService.Resolution.ENDPOINTS);
        var chains = new ServiceChains(settings(V4, Workloads.NOT_SERVED));
        var http = ClusterName.behindWaypoint(number, ClusterLayer.HTTP, "", host);
        var tcp = ClusterName.behindWaypoint(number, ClusterLayer.TCP, "", host);
        return new ServicePart(
                mesh,
                List.of(new PortPart(
                        number,
                        protocol == AppProtocol.TCP
                                ? Optional.empty()
                                : Optional.of(chains.http(http, port, HttpSlots.NONE)),
                        protocol == AppProtocol.HTTP11
                                ? Optional.empty()
                                : Optional.of(chains.tcp(tcp, TcpSlots.of(tcp.toString()))),
                        Encryption.NONE)));
    }
}
