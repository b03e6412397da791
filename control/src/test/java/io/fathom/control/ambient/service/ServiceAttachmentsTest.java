// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import static io.fathom.control.ambient.Drafts.entry;
import static io.fathom.control.ambient.Drafts.meshConfig;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.unready;
import static io.fathom.control.ambient.Drafts.waypoint;
import static io.fathom.control.ambient.TestMesh.byHostname;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.TestMesh;
import io.fathom.model.mesh.Service.IngressWaypoint;
import io.fathom.model.mesh.Service.WeightedWaypoint;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes.From;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.EntryVisibility.Level;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceAttachmentsTest {
    private static final String CANARY = "istio.io/use-waypoint-canary";
    private static final String WEIGHT = "istio.io/use-waypoint-canary-weight";
    private static final String INGRESS = "istio.io/ingress-use-waypoint";

    private final TestMesh mesh = new TestMesh();

    @Test
    void case53_givenCanaryOf30_then70And30() {
        mesh.put(
                waypoint("app/wp"),
                waypoint("app/next"),
                service("app/web").useWaypoint("wp").label(CANARY, "next").annotation(WEIGHT, "30"));

        var web = mesh.kubeService("app/web");
        assertThat(web.waypoint()).isEqualTo(byHostname("app", "wp.app.svc.cluster.local"));
        assertThat(web.weightedWaypoints()).isEqualTo(shares(70, 30));
    }

    @Test
    void case53_givenNoWeight_thenTheCanaryIsListedWithNothing() {
        mesh.put(
                waypoint("app/wp"),
                waypoint("app/next"),
                service("app/web").useWaypoint("wp").label(CANARY, "next"));

        assertThat(mesh.kubeService("app/web").weightedWaypoints()).isEqualTo(shares(100, 0));
    }

    @ParameterizedTest(name = "given weight {0}, then primary only and a message")
    @ValueSource(strings = {"101", "-1", "many", "30%", ""})
    void case53_givenBadWeight_thenPrimaryOnlyAndMessage(String weight) {
        mesh.put(
                waypoint("app/wp"),
                waypoint("app/next"),
                service("app/web").useWaypoint("wp").label(CANARY, "next").annotation(WEIGHT, weight));

        assertThat(mesh.kubeService("app/web").waypoint()).isPresent();
        assertThat(mesh.kubeService("app/web").weightedWaypoints()).isEmpty();
        assertThat(mesh.bound("Service/app/web")).isEqualTo("True/WaypointAccepted");
        assertThat(mesh.message("Service/app/web")).contains("CanaryInvalidWeight");
    }

    @Test
    void case53_givenCanaryThatIsThePrimaryOrNotReady_thenPrimaryOnlyAndMessage() {
        mesh.put(
                waypoint("app/wp"),
                unready("app/next"),
                service("app/same").useWaypoint("wp").label(CANARY, "wp").annotation(WEIGHT, "30"),
                service("app/unready").useWaypoint("wp").label(CANARY, "next").annotation(WEIGHT, "30"));

        assertThat(mesh.kubeService("app/same").weightedWaypoints()).isEmpty();
        assertThat(mesh.message("Service/app/same")).contains("CanarySameAsPrimary");
        assertThat(mesh.kubeService("app/unready").weightedWaypoints()).isEmpty();
        assertThat(mesh.message("Service/app/unready")).contains("WaypointIsNotReady");
    }

    @Test
    void givenCanaryOfNamespace_thenItFillsInOnlyWhereTheObjectHasNoWaypointOfItsOwn() {
        mesh.put(
                namespace("app").useWaypoint("wp").label(CANARY, "next").annotation(WEIGHT, "10"),
                waypoint("app/wp"),
                waypoint("app/next"),
                service("app/inherits"),
                service("app/weighs").annotation(WEIGHT, "40"),
                service("app/owns").useWaypoint("wp"));

        assertThat(mesh.kubeService("app/inherits").weightedWaypoints()).isEqualTo(shares(90, 10));
        assertThat(mesh.kubeService("app/weighs").weightedWaypoints()).isEqualTo(shares(60, 40));
        assertThat(mesh.kubeService("app/owns").weightedWaypoints()).isEmpty();
    }

    @Test
    void givenCanaryWithoutPrimary_thenNothing() {
        mesh.put(waypoint("app/next"), service("app/web").label(CANARY, "next").annotation(WEIGHT, "30"));

        assertThat(mesh.kubeService("app/web").weightedWaypoints()).isEmpty();
        assertThat(mesh.status("Service/app/web")).isEmpty();
    }

    @ParameterizedTest(name = "given service {0} and namespace {1}, then ingress uses the waypoint: {2}")
    @CsvSource(
            nullValues = "-",
            value = {
                "true,-,USED",
                "TRUE,-,USED",
                "1,-,USED",
                "t,-,USED",
                "false,-,SKIPPED",
                "yes,-,SKIPPED",
                "-,true,USED",
                "false,true,SKIPPED",
                "garbage,true,SKIPPED",
                "-,-,SKIPPED"
            })
    void case54_givenIngressLabel_thenServiceOverridesNamespace(
            String own, String inherited, IngressWaypoint expected) {
        var namespace = namespace("app").useWaypoint("wp");
        var web = service("app/web");
        mesh.put(
                inherited == null ? namespace : namespace.label(INGRESS, inherited),
                waypoint("app/wp"),
                own == null ? web : web.label(INGRESS, own));

        assertThat(mesh.kubeService("app/web").ingressWaypoint()).isEqualTo(expected);
    }

    @Test
    void case54_givenIngressLabelWithoutWaypoint_thenItDoesNotCount() {
        mesh.put(service("app/web").label(INGRESS, "true"));

        assertThat(mesh.kubeService("app/web").ingressWaypoint()).isEqualTo(IngressWaypoint.SKIPPED);
    }

    @Test
    void givenEntryVisibleInItsNamespace_thenNoWaypointOfAnotherOne() {
        mesh.put(
                meshConfig().visibility(Level.NAMESPACE),
                waypoint("infra/wp").allows(From.ALL),
                waypoint("app/wp"),
                entry("app/far", "far.example.com")
                        .address("10.0.0.1")
                        .useWaypoint("wp")
                        .label("istio.io/use-waypoint-namespace", "infra"),
                entry("app/near", "near.example.com").address("10.0.0.2").useWaypoint("wp"));

        assertThat(mesh.service("app/far.example.com").waypoint()).isEmpty();
        assertThat(mesh.bound("ServiceEntry/app/far")).isEqualTo("False/CrossNamespaceWaypointForbidden");
        assertThat(mesh.service("app/near.example.com").waypoint()).isPresent();
    }

    private static List<WeightedWaypoint> shares(int primary, int canary) {
        return List.of(
                new WeightedWaypoint(
                        byHostname("app", "wp.app.svc.cluster.local").orElseThrow(), primary),
                new WeightedWaypoint(
                        byHostname("app", "next.app.svc.cluster.local").orElseThrow(), canary));
    }
}
