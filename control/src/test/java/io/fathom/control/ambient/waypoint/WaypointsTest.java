// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import static io.fathom.control.ambient.Drafts.gatewayClass;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.network;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.unready;
import static io.fathom.control.ambient.Drafts.vm;
import static io.fathom.control.ambient.Drafts.waypoint;
import static io.fathom.control.ambient.TestMesh.byHostname;
import static io.fathom.control.ambient.TestMesh.byIp;
import static io.fathom.control.ambient.TestMesh.podUid;
import static io.fathom.control.ambient.TestMesh.serviceName;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.Ids;
import io.fathom.control.ambient.TestMesh;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Workload.ApplicationTunnel;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes.From;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WaypointsTest {
    private static final Optional<GatewayAddress> WP = byHostname("app", "wp.app.svc.cluster.local");

    private final TestMesh mesh = new TestMesh();

    @ParameterizedTest(name = "given waypoint-for {0}, when labelled, then service pushed: {1}, pod pushed: {2}")
    @CsvSource({"service,true,false", "workload,false,true", "all,true,true", "none,false,false"})
    void case41to44_givenKindsServed_whenPodAndServiceAreLabelled_thenOnlyThoseKindsArePushed(
            String serves, boolean servicePushed, boolean podPushed) {
        mesh.put(waypoint("app/wp").serves(serves), service("app/web"), pod("app/a"));

        mesh.put(service("app/web").useWaypoint("wp"), pod("app/a").useWaypoint("wp"));

        assertThat(mesh.changed().contains(serviceName("app/web"))).isEqualTo(servicePushed);
        assertThat(mesh.changed().contains(podUid("app/a"))).isEqualTo(podPushed);
        assertThat(mesh.bound("Service/app/web"))
                .isEqualTo(servicePushed ? "True/WaypointAccepted" : "False/UnsupportedTrafficType");
    }

    @Test
    void case45_givenGatewayThatIsNotReady_thenNoneAndReadinessPushesOnlyTheAttached() {
        mesh.put(
                namespace("app").useWaypoint("wp"),
                unready("app/wp"),
                service("app/web"),
                service("other/api"),
                pod("app/a"));
        assertThat(mesh.kubeService("app/web").waypoint()).isEmpty();
        assertThat(mesh.bound("Service/app/web")).isEqualTo("False/WaypointIsNotReady");

        mesh.put(waypoint("app/wp"));
        assertThat(mesh.changed()).containsExactly(serviceName("app/web"));
        assertThat(mesh.kubeService("app/web").waypoint()).isEqualTo(WP);
    }

    @Test
    void case46_givenOwnLabel_thenItBeatsTheNamespaceAndNoneOptsOut() {
        mesh.put(
                namespace("app").useWaypoint("wp"),
                waypoint("app/wp").serves("all"),
                waypoint("app/own").serves("all"),
                service("app/inherits"),
                service("app/owns").useWaypoint("own"),
                service("app/out").useWaypoint("none"),
                service("app/lost").useWaypoint("nowhere"),
                service("app/empty").useWaypoint(""),
                pod("app/inherits"),
                pod("app/owns").useWaypoint("own"),
                pod("app/out").useWaypoint("none"));

        var own = byHostname("app", "own.app.svc.cluster.local");
        assertThat(mesh.kubeService("app/inherits").waypoint()).isEqualTo(WP);
        assertThat(mesh.kubeService("app/owns").waypoint()).isEqualTo(own);
        assertThat(mesh.kubeService("app/out").waypoint()).isEmpty();
        assertThat(mesh.bound("Service/app/out")).isEqualTo("-");
        assertThat(mesh.kubeService("app/lost").waypoint()).isEmpty();
        assertThat(mesh.bound("Service/app/lost")).isEqualTo("False/WaypointIsNotReady");
        assertThat(mesh.bound("Service/app/empty")).isEqualTo("False/WaypointIsNotReady");
        assertThat(mesh.pod("app/inherits").waypoint()).isEqualTo(WP);
        assertThat(mesh.pod("app/owns").waypoint()).isEqualTo(own);
        assertThat(mesh.pod("app/out").waypoint()).isEmpty();
    }

    @Test
    void case47_whenPodsOfWaypointComeOrGo_thenClientsAreNotPushed() {
        mesh.put(
                namespace("app").useWaypoint("wp"), waypoint("app/wp").serves("all"), service("app/web"), pod("app/a"));
        var replica = pod("app/wp-1").label("gateway.networking.k8s.io/gateway-name", "wp");

        mesh.put(replica);
        assertThat(mesh.changed()).containsExactly(podUid("app/wp-1"));
        mesh.remove(replica);
        assertThat(mesh.changed()).containsExactly(podUid("app/wp-1"));
    }

    @Test
    void case48_whenGatewayGoes_thenTheFieldIsClearedOnAllAttached() {
        var gateway = waypoint("app/wp").serves("all");
        mesh.put(namespace("app").useWaypoint("wp"), gateway, service("app/web"), pod("app/a"), service("other/api"));

        mesh.remove(gateway);

        assertThat(mesh.changed()).containsExactly(podUid("app/a"), serviceName("app/web"));
        assertThat(mesh.kubeService("app/web").waypoint()).isEmpty();
        assertThat(mesh.pod("app/a").waypoint()).isEmpty();
    }

    @Test
    void case49_givenBindingOnTheClass_thenApplicationTunnelOnPodsOfTheGateway() {
        mesh.put(
                gatewayClass("mine", "example.com/waypoints")
                        .annotation("ambient.istio.io/waypoint-inbound-binding", "PROXY/15088"),
                namespace("app").useWaypoint("wp"),
                waypoint("app/wp").ofClass("mine").serves("all"),
                pod("app/wp-1").label("gateway.networking.k8s.io/gateway-name", "wp"),
                pod("app/a"));

        assertThat(mesh.pod("app/wp-1").applicationTunnel())
                .contains(new ApplicationTunnel(ApplicationTunnel.Protocol.PROXY, 15088));
        assertThat(mesh.pod("app/wp-1").waypoint()).isEmpty();
        assertThat(mesh.pod("app/a").applicationTunnel()).isEmpty();
    }

    @Test
    void case50_givenWaypointOfAnotherNamespace_thenItsListenerDecides() {
        mesh.put(
                namespace("infra"),
                namespace("red").label("colour", "red"),
                namespace("blue"),
                waypoint("infra/all").allows(From.ALL),
                waypoint("infra/same"),
                waypoint("infra/reds").allowsNamespaces("colour", "red"),
                service("red/all").useWaypoint("all").label("istio.io/use-waypoint-namespace", "infra"),
                service("red/same").useWaypoint("same").label("istio.io/use-waypoint-namespace", "infra"),
                service("red/reds").useWaypoint("reds").label("istio.io/use-waypoint-namespace", "infra"),
                service("blue/reds").useWaypoint("reds").label("istio.io/use-waypoint-namespace", "infra"),
                service("infra/other").useWaypoint("reds"));

        assertThat(mesh.bound("Service/red/all")).isEqualTo("True/WaypointAccepted");
        assertThat(mesh.bound("Service/red/same")).isEqualTo("False/AttachmentDenied");
        assertThat(mesh.bound("Service/red/reds")).isEqualTo("True/WaypointAccepted");
        assertThat(mesh.bound("Service/blue/reds")).isEqualTo("False/AttachmentDenied");
        assertThat(mesh.bound("Service/infra/other")).isEqualTo("False/AttachmentDenied");
        assertThat(mesh.kubeService("red/same").waypoint()).isEmpty();
        assertThat(mesh.kubeService("red/all").waypoint())
                .isEqualTo(byHostname("infra", "all.infra.svc.cluster.local"));
    }

    @Test
    void givenABindingOfTheProxyProtocol_thenItsListenerDecides() {
        var service = service("red/a").useWaypoint("wp").label("istio.io/use-waypoint-namespace", "infra");
        mesh.put(namespace("infra"), namespace("red"), service);

        mesh.put(waypoint("infra/wp").moreListeners(15088, "istio.io/PROXY"));
        assertThat(mesh.bound("Service/red/a")).isEqualTo("False/AttachmentDenied");
        mesh.put(waypoint("infra/wp")
                .annotation("ambient.istio.io/waypoint-inbound-binding", "PROXY")
                .moreListeners(15088, "istio.io/PROXY"));
        assertThat(mesh.bound("Service/red/a")).isEqualTo("True/WaypointAccepted");
        mesh.put(waypoint("infra/wp")
                .annotation("ambient.istio.io/waypoint-inbound-binding", "NONE")
                .moreListeners(15088, "istio.io/PROXY"));
        assertThat(mesh.bound("Service/red/a")).isEqualTo("False/AttachmentDenied");
    }

    @Test
    void case50_whenNamespaceGetsTheLabel_thenTheSelectorLetsItIn() {
        mesh.put(
                namespace("blue"),
                waypoint("infra/reds").allowsNamespaces("colour", "red"),
                service("blue/a").useWaypoint("reds").label("istio.io/use-waypoint-namespace", "infra"));

        mesh.put(namespace("blue").label("colour", "red"));

        assertThat(mesh.bound("Service/blue/a")).isEqualTo("True/WaypointAccepted");
        assertThat(mesh.changed()).containsExactly(serviceName("blue/a"));
    }

    @Test
    void case51_givenServiceWaypointOnWorkloadEntry_thenSilentIfInheritedAndErrorIfExplicit() {
        mesh.put(
                namespace("app").useWaypoint("wp"),
                waypoint("app/wp"),
                vm("app/inherits", "10.0.0.1"),
                vm("app/asks", "10.0.0.2").useWaypoint("wp"),
                namespace("idle").useWaypoint("wp"),
                waypoint("idle/wp").serves("none"),
                vm("idle/inherits", "10.0.0.3"));

        assertThat(mesh.status("WorkloadEntry/app/inherits")).isEmpty();
        assertThat(mesh.status("WorkloadEntry/idle/inherits")).isEmpty();
        assertThat(mesh.bound("WorkloadEntry/app/asks")).isEqualTo("False/UnsupportedTrafficType");
    }

    @Test
    void givenSeveralAddresses_thenHostnameBeforeIpAndForeignTypesDoNotCount() {
        mesh.put(
                network("home"),
                unready("app/mixed").ip("10.96.0.1").hostname("mixed.example.com"),
                unready("app/ip").ip("10.96.0.2"),
                unready("app/foreign").address("example.com/Other", "x"),
                service("app/a").useWaypoint("mixed"),
                service("app/b").useWaypoint("ip"),
                service("app/c").useWaypoint("foreign"));

        assertThat(mesh.kubeService("app/a").waypoint()).isEqualTo(byHostname("app", "mixed.example.com"));
        assertThat(mesh.kubeService("app/b").waypoint()).isEqualTo(byIp("home", "10.96.0.2"));
        assertThat(mesh.kubeService("app/c").waypoint()).isEmpty();
        assertThat(mesh.bound("Service/app/c")).isEqualTo("False/WaypointIsNotReady");
    }

    @Test
    void givenGatewayThatIsNoWaypoint_thenRefused() {
        mesh.put(
                waypoint("app/ingress").ofClass("istio"),
                waypoint("app/remote").ofClass("istio-remote"),
                waypoint("app/east").ofClass("istio-east-west"),
                waypoint("app/theirs").ofClass("somebody-elses"),
                service("app/a").useWaypoint("ingress"),
                service("app/b").useWaypoint("remote"),
                service("app/c").useWaypoint("east"),
                service("app/d").useWaypoint("theirs"));

        for (var name : List.of("a", "b", "c")) {
            assertThat(mesh.bound("Service/app/" + name)).isEqualTo("False/AttachmentDenied");
        }
        assertThat(mesh.bound("Service/app/d")).isEqualTo("True/WaypointAccepted");
    }

    @ParameterizedTest(name = "given {0} on port {1}, then {2}")
    @CsvSource({
        "ambient, 15008, True/WaypointAccepted",
        "ambient, 8080,  False/AttachmentDenied",
        "none,    15008, False/AttachmentDenied"
    })
    void whenAnIngressGatewayIsAskedFor(String mode, int port, String want) {
        mesh.put(
                waypoint("app/ingress")
                        .ofClass("istio")
                        .label("istio.io/dataplane-mode", mode)
                        .withoutListener()
                        .namedListener("tunnels", port, "TCP"),
                service("app/a").useWaypoint("ingress"));

        assertThat(mesh.bound("Service/app/a")).isEqualTo(want);
    }

    @Test
    void givenPodThatAsksInVain_thenAProblemSaysWhy() {
        mesh.put(pod("app/a").useWaypoint("nowhere"), pod("app/b"));

        var problems = mesh.mesh().cut().of(mesh.mesh().problems());
        assertThat(problems.size()).isOne();
        assertThat(Ids.problem(mesh.mesh().cut(), mesh.mesh().problems(), Ids.of("Pod/app/a"))
                        .orElseThrow()
                        .message())
                .contains("app/nowhere");
    }
}
