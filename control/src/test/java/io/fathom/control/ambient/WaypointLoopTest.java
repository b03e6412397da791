// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.Drafts.endpoint;
import static io.fathom.control.ambient.Drafts.entry;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.network;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.remoteGateway;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.unready;
import static io.fathom.control.ambient.Drafts.vm;
import static io.fathom.control.ambient.Drafts.waypoint;
import static io.fathom.control.ambient.TestMesh.endpointUid;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.Ids;
import org.junit.jupiter.api.Test;

/// Whatever users write, what makes a gateway work is not itself behind one.
class WaypointLoopTest {
    private final TestMesh mesh = new TestMesh();

    @Test
    void givenManagedGatewayService_thenItInheritsNoWaypointAndSaysNothing() {
        mesh.put(
                namespace("app").useWaypoint("wp"),
                waypoint("app/wp").serves("all"),
                service("app/wp").label("gateway.istio.io/managed", "istio.io-mesh-controller"),
                service("app/east").label("gateway.istio.io/managed", "istio.io-eastwest-controller"),
                service("app/ingress").label("gateway.istio.io/managed", "istio.io-gateway-controller"));

        assertThat(mesh.kubeService("app/wp").waypoint()).isEmpty();
        assertThat(mesh.status("Service/app/wp")).isEmpty();
        assertThat(mesh.kubeService("app/east").waypoint()).isEmpty();
        assertThat(mesh.kubeService("app/ingress").waypoint()).isPresent();
    }

    @Test
    void givenHandMadeServiceOfWaypointByHostname_thenServiceAndItsPodsHaveNone() {
        mesh.put(
                namespace("app").useWaypoint("wp"),
                waypoint("app/wp").serves("all"),
                service("app/wp").selects("app", "envoy").port("hbone", 15008, 15008),
                pod("app/envoy-1").label("app", "envoy"),
                vm("app/envoy-vm", "10.0.0.9").label("app", "envoy"),
                pod("app/client"));

        assertThat(mesh.kubeService("app/wp").waypoint()).isEmpty();
        assertThat(mesh.pod("app/envoy-1").waypoint()).isEmpty();
        assertThat(mesh.vm("app/envoy-vm").waypoint()).isEmpty();
        assertThat(mesh.pod("app/client").waypoint()).isPresent();
    }

    @Test
    void givenHandMadeServiceOfWaypointByIp_thenServiceAndItsPodsHaveNone() {
        mesh.put(
                namespace("app").useWaypoint("wp"),
                unready("app/wp").ip("10.96.0.7").serves("all"),
                service("app/any-name").vip("10.96.0.7").selects("app", "envoy"),
                pod("app/envoy-1").label("app", "envoy"),
                service("app/web").vip("10.96.0.8"));

        assertThat(mesh.kubeService("app/any-name").waypoint()).isEmpty();
        assertThat(mesh.pod("app/envoy-1").waypoint()).isEmpty();
        assertThat(mesh.kubeService("app/web").waypoint()).isPresent();
    }

    @Test
    void givenWaypointThatPointsToAnother_thenRefusedWithConditionAndProblem() {
        mesh.put(
                waypoint("app/one").serves("all"),
                waypoint("app/two").serves("all"),
                service("app/one").selects("app", "one").useWaypoint("two"),
                service("app/two").selects("app", "two").useWaypoint("one"),
                pod("app/one-1").label("app", "one").useWaypoint("two"),
                vm("app/two-vm", "10.0.0.1").label("app", "two").useWaypoint("one"));

        assertThat(mesh.kubeService("app/one").waypoint()).isEmpty();
        assertThat(mesh.kubeService("app/two").waypoint()).isEmpty();
        assertThat(mesh.bound("Service/app/one")).isEqualTo("False/WaypointLoop");
        assertThat(mesh.message("Service/app/one")).contains("app/two").contains("app/one");
        assertThat(mesh.pod("app/one-1").waypoint()).isEmpty();
        assertThat(Ids.problem(mesh.mesh().cut(), mesh.mesh().problems(), Ids.of("Pod/app/one-1")))
                .isPresent();
        assertThat(mesh.vm("app/two-vm").waypoint()).isEmpty();
        assertThat(mesh.bound("WorkloadEntry/app/two-vm")).isEqualTo("False/WaypointLoop");
    }

    @Test
    void givenWaypointServedByServiceEntry_thenItsHostsAndEndpointsHaveNone() {
        mesh.put(
                namespace("app").useWaypoint("wp"),
                unready("app/wp").hostname("wp.example.com").serves("all"),
                entry("app/wp", "wp.example.com").address("10.97.0.1").endpoint("10.1.0.1"));

        assertThat(mesh.service("app/wp.example.com").waypoint()).isEmpty();
        assertThat(mesh.workload(endpointUid("app/wp/10.1.0.1")).waypoint()).isEmpty();
    }

    @Test
    void givenServiceOfNetworkGateway_thenItsPodsAreNotBehindThatGateway() {
        mesh.put(
                network("home"),
                namespace("app").useWaypoint("wp"),
                waypoint("app/wp").serves("all"),
                remoteGateway("app/home", "home").hostname("eastwest.app.svc.cluster.local"),
                service("app/eastwest").selects("app", "eastwest"),
                pod("app/eastwest-1").label("app", "eastwest"),
                vm("app/eastwest-2", endpoint("10.0.0.1").network("home")).label("app", "eastwest"),
                pod("app/client"));

        assertThat(mesh.pod("app/client").networkGateway()).isPresent();
        assertThat(mesh.pod("app/client").waypoint()).isPresent();
        assertThat(mesh.pod("app/eastwest-1").networkGateway()).isEmpty();
        assertThat(mesh.pod("app/eastwest-1").waypoint()).isEmpty();
        assertThat(mesh.vm("app/eastwest-2").networkGateway()).isEmpty();
        assertThat(mesh.kubeService("app/eastwest").waypoint()).isEmpty();
    }

    @Test
    void whenTheGatewayGoes_thenItsServiceMayHaveWaypointsAgain() {
        var gateway = waypoint("app/one").serves("all");
        mesh.put(
                gateway,
                waypoint("app/two").serves("all"),
                service("app/one").selects("app", "one").useWaypoint("two"),
                pod("app/one-1").label("app", "one").useWaypoint("two"));

        mesh.remove(gateway);

        assertThat(mesh.bound("Service/app/one")).isEqualTo("True/WaypointAccepted");
        assertThat(mesh.pod("app/one-1").waypoint()).isPresent();
        assertThat(mesh.mesh().cut().of(mesh.mesh().problems()).isEmpty()).isTrue();
    }
}
