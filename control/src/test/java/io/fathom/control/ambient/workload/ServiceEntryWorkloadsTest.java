// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import static io.fathom.control.ambient.Drafts.endpoint;
import static io.fathom.control.ambient.Drafts.entry;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.network;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.vm;
import static io.fathom.control.ambient.Drafts.waypoint;
import static io.fathom.control.ambient.TestMesh.endpointUid;
import static io.fathom.control.ambient.TestMesh.ports;
import static io.fathom.control.ambient.TestMesh.vmUid;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.TestMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.model.mesh.Workload.ApplicationTunnel;
import io.fathom.wire.kube.networking.ServiceEntryManifest.Resolution;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServiceEntryWorkloadsTest {
    private final TestMesh mesh = new TestMesh();

    @Test
    void case10_givenPortName_thenItPicksTheContainerPortOtherwiseTheTarget() {
        mesh.put(
                entry("app/se", "web.example.com")
                        .selects("app", "web")
                        .port("http", 80, "HTTP")
                        .port("admin", 9000, "TCP", 9999),
                pod("app/named").label("app", "web").port("http", 8081),
                pod("app/plain").label("app", "web"));

        assertThat(ports(mesh.pod("app/named"), "app/web.example.com")).containsExactly("80>8081", "9000>9999");
        assertThat(ports(mesh.pod("app/plain"), "app/web.example.com")).containsExactly("80>80", "9000>9999");
    }

    @Test
    void case23_givenDnsEntryWithTwoHosts_thenTwoWorkloadsEachOfItsOwnHost() {
        mesh.put(entry("app/se", "one.example.com", "two.example.com")
                .resolution(Resolution.DNS)
                .port("https", 443, "HTTPS"));

        var one = mesh.workload(endpointUid("app/se/one.example.com"));
        var two = mesh.workload(endpointUid("app/se/two.example.com"));
        assertThat(one.hostname()).isEqualTo("one.example.com");
        assertThat(one.services()).containsOnlyKeys("app/one.example.com");
        assertThat(two.services()).containsOnlyKeys("app/two.example.com");
    }

    @Test
    void givenWorkloadWaypointOfNamespace_thenInlineEndpointsHaveItAndHostsThatAreEndpointsDoNot() {
        mesh.put(
                namespace("app").useWaypoint("wp"),
                waypoint("app/wp").serves("workload"),
                entry("app/host", "one.example.com").resolution(Resolution.DNS).port("https", 443, "HTTPS"),
                entry("app/line", "two.example.com")
                        .resolution(Resolution.DNS)
                        .port("https", 443, "HTTPS")
                        .endpoint("backend.example.com"));

        assertThat(mesh.workload(endpointUid("app/host/one.example.com")).waypoint())
                .isEmpty();
        assertThat(mesh.workload(endpointUid("app/line/backend.example.com")).waypoint())
                .isPresent();
    }

    @Test
    void givenEndpointsAndEntriesOfAGateway_thenTheyTakeItsTunnelAndHaveNoWaypoint() {
        mesh.put(
                namespace("app").useWaypoint("wp"),
                waypoint("app/wp").serves("all").annotation("ambient.istio.io/waypoint-inbound-binding", "PROXY/15088"),
                vm("app/vm", "10.0.0.2").label("gateway.networking.k8s.io/gateway-name", "wp"),
                entry("app/line", "wp.example.com")
                        .resolution(Resolution.STATIC)
                        .port("hbone", 15008, "TCP")
                        .endpoint(endpoint("10.0.0.1").label("gateway.networking.k8s.io/gateway-name", "wp"))
                        .endpoint(endpoint("10.0.0.3").label("gateway.networking.k8s.io/gateway-name", "lost")));

        for (var uid : List.of(endpointUid("app/line/10.0.0.1"), vmUid("app/vm"))) {
            assertThat(mesh.workload(uid).waypoint()).isEmpty();
            assertThat(mesh.workload(uid).applicationTunnel())
                    .contains(new ApplicationTunnel(ApplicationTunnel.Protocol.PROXY, 15088));
        }
        assertThat(mesh.workload(endpointUid("app/line/10.0.0.3")).waypoint()).isPresent();
    }

    @Test
    void case24_givenEndpointPorts_thenTheyOverrideByName() {
        mesh.put(entry("app/se", "pay.example.com")
                .port("http", 80, "HTTP", 8080)
                .port("tls", 443, "TLS")
                .endpoint(endpoint("10.0.0.1").port("http", 18080).port("unknown", 1)));

        assertThat(ports(mesh.workload(endpointUid("app/se/10.0.0.1")), "app/pay.example.com"))
                .containsExactly("80>18080", "443>443");
    }

    @Test
    void case25_givenSelector_thenItNeverCrossesNamespaces() {
        mesh.put(
                entry("app/se", "web.example.com").selects("app", "web").port("http", 80, "HTTP"),
                pod("other/p").label("app", "web"),
                vm("other/v", "10.0.0.1").label("app", "web"));

        assertThat(mesh.pod("other/p").services()).isEmpty();
        assertThat(mesh.vm("other/v").services()).isEmpty();
    }

    @Test
    void case115_givenEndpointWithNetwork_thenTheNextOneIsHomeAgain() {
        mesh.put(
                network("home"),
                entry("app/se", "far.example.com")
                        .port("http", 80, "HTTP")
                        .endpoint(endpoint("10.0.0.1").network("east"))
                        .endpoint("10.0.0.2"));

        assertThat(mesh.workload(endpointUid("app/se/10.0.0.1")).network()).isEqualTo("east");
        assertThat(mesh.workload(endpointUid("app/se/10.0.0.2")).network()).isEqualTo("home");
    }

    @Test
    void givenTwoEndpointsWithOneAddress_thenTheLastWins() {
        mesh.put(entry("app/se", "web.example.com")
                .port("http", 80, "HTTP")
                .endpoint(endpoint("10.0.0.1").weight(1))
                .endpoint(endpoint("10.0.0.1").weight(2)));

        assertThat(mesh.workload(endpointUid("app/se/10.0.0.1")).capacity()).isEqualTo(2);
    }

    @Test
    void givenEntriesDoNotSelectPods_thenOnlyWorkloadEntriesAreSelected() {
        var without = new TestMesh(AmbientConfig.defaults().without(Feature.ENTRIES_SELECT_PODS));

        without.put(
                entry("app/se", "web.example.com").selects("app", "web").port("http", 80, "HTTP"),
                pod("app/p").label("app", "web"),
                vm("app/v", "10.0.0.1").label("app", "web"));

        assertThat(without.pod("app/p").services()).isEmpty();
        assertThat(without.vm("app/v").services()).containsOnlyKeys("app/web.example.com");
    }
}
