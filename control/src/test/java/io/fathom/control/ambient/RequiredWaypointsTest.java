// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.Drafts.gatewayClass;
import static io.fathom.control.ambient.Drafts.namespace;
import static io.fathom.control.ambient.Drafts.pod;
import static io.fathom.control.ambient.Drafts.service;
import static io.fathom.control.ambient.Drafts.unready;
import static io.fathom.control.ambient.Drafts.waypoint;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.Problem;
import io.fathom.control.Ids;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.model.mesh.Service.IngressWaypoint;
import io.fathom.model.mesh.Workload.Hairpin;
import io.fathom.model.policy.Authorization;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes.From;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Which pods take calls through waypoints only, who is let in then, and what is said about it.
class RequiredWaypointsTest {
    private static final String REQUIRE = "fathom.io/require-waypoint";
    private static final String KEY = "app/fathom_require_waypoint_app_wp";
    private static final String NOBODY = "app/fathom_require_waypoint";

    private final TestMesh mesh = new TestMesh();

    private static GatewayDraft requiring(String path) {
        return waypoint(path).annotation(REQUIRE, "true");
    }

    private static PodDraft instance(String gateway) {
        return pod("app/" + gateway + "-1")
                .label("gateway.networking.k8s.io/gateway-name", gateway)
                .account(gateway)
                .captured();
    }

    private static PodDraft web() {
        return pod("app/web-1").label("app", "web").captured();
    }

    private static ServiceDraft behind(String name, String gateway) {
        return service("app/" + name).selects("app", "web").useWaypoint(gateway);
    }

    private List<String> listed() {
        return listed(mesh);
    }

    private static List<String> listed(TestMesh mesh) {
        return mesh.pod("app/web-1").authorizationPolicies();
    }

    private Authorization policy(String key) {
        return mesh.mesh().cut().of(mesh.mesh().authorizations()).find(key).orElseThrow();
    }

    private List<String> problems(String object) {
        return Ids.problems(mesh.mesh().cut(), mesh.mesh().problems(), Ids.of(object)).stream()
                .map(Problem::code)
                .toList();
    }

    private Problem problem(String object) {
        return Ids.problem(mesh.mesh().cut(), mesh.mesh().problems(), Ids.of(object))
                .orElseThrow();
    }

    @Test
    void givenAServiceBehindOne_thenItsPodsDenyAllButTheWaypointsPods() {
        mesh.put(requiring("app/wp"), instance("wp"), behind("web", "wp"), web(), pod("app/other"));

        assertThat(listed()).containsExactly(KEY);
        assertThat(AuthorizationText.of(policy(KEY)))
                .contains("DENY", "cluster.local/ns/app/sa/wp")
                .doesNotContain("sa/default");
        assertThat(mesh.pod("app/other").authorizationPolicies()).isEmpty();
        assertThat(mesh.pod("app/wp-1").authorizationPolicies())
                .as("the waypoint is called directly")
                .isEmpty();
        assertThat(mesh.message("Service/app/web"))
                .isEqualTo(
                        "traffic goes through Gateway app/wp, also that of ingress gateways, and its pods refuse all "
                                + "other");
    }

    @Test
    void givenItIsNotSaid_thenNothingChanges() {
        mesh.put(waypoint("app/wp"), instance("wp"), behind("web", "wp"), web());

        assertThat(listed()).isEmpty();
        assertThat(mesh.mesh().cut().of(mesh.mesh().authorizations()).isEmpty()).isTrue();
        assertThat(mesh.message("Service/app/web")).isEqualTo("traffic goes through Gateway app/wp");
        assertThat(mesh.kubeService("app/web").ingressWaypoint()).isEqualTo(IngressWaypoint.SKIPPED);
        assertThat(problems("Gateway/app/wp")).isEmpty();
    }

    @ParameterizedTest(name = "given the mesh wants it and the Gateway says {0}, then {1}")
    @CsvSource({",true", "true,true", "false,false", "0,false", "no,true"})
    void givenTheMeshWantsIt_thenTheGatewayMayOptOut(String said, boolean wanted) {
        var all = new TestMesh(AmbientConfig.defaults().with(Feature.REQUIRE_WAYPOINT));
        var gateway = said == null ? waypoint("app/wp") : waypoint("app/wp").annotation(REQUIRE, said);
        all.put(gateway, instance("wp"), behind("web", "wp"), web());

        assertThat(listed(all)).isEqualTo(wanted ? List.of(KEY) : List.of());
    }

    @Test
    void givenTheClassSaysIt_thenItsGatewaysDo() {
        mesh.put(
                gatewayClass("strict", "istio.io/mesh-controller").annotation(REQUIRE, "true"),
                waypoint("app/wp").ofClass("strict"),
                instance("wp"),
                behind("web", "wp"),
                web());
        assertThat(listed()).containsExactly(KEY);
    }

    @Test
    void givenAnUnreadableValue_thenItIsForbiddenAndTheProblemSaysSo() {
        mesh.put(
                waypoint("app/wp").serves("all").annotation(REQUIRE, "yes"),
                instance("wp"),
                behind("web", "wp"),
                web());

        assertThat(listed()).containsExactly(KEY);
        assertThat(problem("Gateway/app/wp").message()).contains("\"yes\"", "neither true nor false", "counts as true");
    }

    @Test
    void givenPodsComeAndGo_thenThePolicyFollows_andWithoutPodsNobodyMayCall() {
        mesh.put(requiring("app/wp"), behind("web", "wp"), web());
        assertThat(policy(KEY).groups().getFirst().rules().getFirst().matches())
                .as("matches everybody")
                .isEmpty();

        mesh.put(instance("wp").account("custom"));
        assertThat(AuthorizationText.of(policy(KEY))).contains("cluster.local/ns/app/sa/custom");

        mesh.remove(web());
        assertThat(mesh.mesh().cut().of(mesh.mesh().authorizations()).isEmpty()).isTrue();
    }

    @Test
    void givenSeveralWaypointsOfOnePod_thenEachOfThemMayCall() {
        mesh.put(
                requiring("app/wp"),
                waypoint("app/next"),
                waypoint("app/own").serves("workload"),
                waypoint("app/second"),
                instance("wp"),
                instance("next"),
                instance("own"),
                instance("second"),
                behind("web", "wp").label("istio.io/use-waypoint-canary", "next"),
                behind("more", "second"),
                web().useWaypoint("own"));

        var key = "app/fathom_require_waypoint_app_next_app_own_app_second_app_wp";
        assertThat(listed()).containsExactly(key);
        assertThat(AuthorizationText.of(policy(key))).contains("/sa/next", "/sa/own", "/sa/second", "/sa/wp");
    }

    @Test
    void givenAWaypointForWorkloads_thenPlainTextIsSentThroughIt() {
        mesh.put(
                namespace("app").label("istio.io/use-waypoint", "wp"),
                requiring("app/wp").serves("all"),
                web());

        assertThat(mesh.pod("app/web-1").hairpin()).isEqualTo(Hairpin.YES);
        assertThat(listed()).containsExactly(KEY);
        assertThat(problems("Gateway/app/wp")).isEmpty();
    }

    @Test
    void givenAWaypointForServices_thenPlainTextIsRefusedAndTheGatewaySaysWhy() {
        mesh.put(requiring("app/wp"), instance("wp"), behind("web", "wp"), web());

        assertThat(mesh.pod("app/web-1").hairpin()).isEqualTo(Hairpin.NO);
        assertThat(problem("Gateway/app/wp").message())
                .contains("plain text to them is refused, not sent through it", "serves \"service\"");
        assertThat(problem("Gateway/app/wp").fix()).contains("istio.io/waypoint-for: all");
    }

    @Test
    void givenAForeignWaypointOrOneBehindItsNodeProxy_thenPlainTextIsRefused() {
        mesh.put(
                gatewayClass("foreign", "example.com/controller"),
                namespace("app").label("istio.io/use-waypoint", "wp"),
                requiring("app/wp").serves("all").ofClass("foreign"),
                web());
        assertThat(mesh.pod("app/web-1").hairpin()).isEqualTo(Hairpin.NO);
        assertThat(listed()).containsExactly(KEY);
        assertThat(problem("Gateway/app/wp").message()).contains("does not configure the pods of Gateway app/wp");

        mesh.put(requiring("app/wp")
                .serves("all")
                .annotation("ambient.istio.io/waypoint-inbound-binding", "PROXY/15088"));
        assertThat(mesh.pod("app/web-1").hairpin()).isEqualTo(Hairpin.NO);
        assertThat(problem("Gateway/app/wp").message()).contains("take tunnels from their node proxy");
    }

    @Test
    void givenItIsNotReady_thenNobodyMayCall() {
        mesh.put(unready("app/wp").annotation(REQUIRE, "true"), behind("web", "wp"), web());

        assertThat(listed()).containsExactly(NOBODY);
        assertThat(problem("Gateway/app/wp").code()).isEqualTo("required-waypoint-not-ready");
        assertThat(mesh.bound("Service/app/web")).isEqualTo("False/WaypointIsNotReady");
        assertThat(mesh.message("Service/app/web")).contains("take calls through a waypoint only, so through none now");
    }

    @Test
    void givenItDoesNotLetTheNamespaceAttach_thenNobodyMayCall() {
        mesh.put(
                requiring("infra/wp").allows(From.SAME),
                behind("web", "wp").label("istio.io/use-waypoint-namespace", "infra"),
                web());

        assertThat(listed()).containsExactly(NOBODY);
        assertThat(mesh.bound("Service/app/web")).isEqualTo("False/AttachmentDenied");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void givenNoSuchGateway_thenTheMeshDecides(boolean required) {
        var config = AmbientConfig.defaults();
        var other = new TestMesh(required ? config.with(Feature.REQUIRE_WAYPOINT) : config);
        other.put(behind("web", "nobody"), web());
        assertThat(listed(other)).isEqualTo(required ? List.of(NOBODY) : List.of());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "false", "true"})
    void thenIngressGatewaysGoThroughItWhateverTheLabelSays(String label) {
        var service = behind("web", "wp");
        mesh.put(
                requiring("app/wp"), label.isEmpty() ? service : service.label("istio.io/ingress-use-waypoint", label));
        assertThat(mesh.kubeService("app/web").ingressWaypoint()).isEqualTo(IngressWaypoint.USED);
    }

    @Test
    void givenAPodThatNobodyCaptures_thenItsProblemSaysThatItIsOpen() {
        mesh.put(
                requiring("app/wp"),
                instance("wp"),
                behind("web", "wp"),
                pod("app/web-1").label("app", "web"),
                web().hostNetwork().uid("h"));
        assertThat(problems("Pod/app/web-1")).containsExactly("required-waypoint-not-enforced");
        mesh.put(pod("app/web-1").label("app", "web"));
        assertThat(problems("Pod/app/web-1")).containsExactly("required-waypoint-not-enforced");
        mesh.put(web());
        assertThat(problems("Pod/app/web-1")).isEmpty();
    }

    @Test
    void givenAServiceThatLeadsAroundIt_thenThePodsProblemNamesIt() {
        mesh.put(
                requiring("app/wp"),
                instance("wp"),
                behind("web", "wp"),
                service("app/around").selects("app", "web"),
                web());
        assertThat(problem("Pod/app/web-1").message())
                .contains("refuses those to app/around.app.svc.cluster.local", "go through none");

        mesh.put(behind("around", "wp"));
        assertThat(problems("Pod/app/web-1")).isEmpty();
    }

    @Test
    void givenAnIngressGateway_thenTheAnnotationHasNoEffect() {
        mesh.put(waypoint("app/in").ofClass("istio").annotation(REQUIRE, "true"));
        assertThat(problem("Gateway/app/in").message()).contains("has no effect", "is an ingress gateway");
    }

    @Test
    void givenAPodAsksForTheHairpinToo_thenItsOwnProblemIsSilent() {
        mesh.put(
                requiring("app/wp"),
                instance("wp"),
                behind("web", "wp"),
                web().annotation("fathom.io/hairpin", "true"));
        assertThat(problems("Pod/app/web-1")).isEmpty();
    }
}
