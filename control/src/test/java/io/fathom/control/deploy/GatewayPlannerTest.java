// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.deploy.DeploySettings.Option;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes.From;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MergePatch;
import io.fathom.wire.kube.tree.Tree;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GatewayPlannerTest {
    private static final String WAYPOINT = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: waypoint, namespace: shop, uid: u1}
            spec:
              gatewayClassName: istio-waypoint
              listeners: [{name: mesh, port: 15008, protocol: HBONE}]
            """;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "waypoint",
                "waypoint-envoy-only",
                "waypoint-overlays",
                "ingress",
                "ingress-overlays",
                "east-west",
                "east-west-overlays"
            })
    void givenGateway_thenItsObjectsAreThoseOfTheFile(String scenario) {
        var scene = Scene.of(Golden.input(scenario));
        var facts = scenario.startsWith("east-west") ? new MeshFacts("net-1", "mesh.example") : Scene.FACTS;

        var objects = objects(scene.plan(Scene.SETTINGS, facts));

        var text = objects.stream().map(object -> Json.pretty(object.tree())).collect(Collectors.joining());
        assertThat(text).isEqualTo(Golden.stored(scenario, "want.json", text));
    }

    @Test
    void givenRevision_thenItsControlPlaneIsAsked() {
        var settings = new DeploySettings(
                "canary", "mesh", "example.org", "c", "", "image", "Always", "info", Scene.SETTINGS.options());

        var pod = Json.compact(object(Scene.of(WAYPOINT).plan(settings, Scene.FACTS), Kinds.DEPLOYMENT));

        assertThat(pod)
                .contains("istiod-canary.mesh.svc:15012")
                .contains("\"istio.io/rev\":\"canary\"")
                .contains("$(POD_NAMESPACE).svc.example.org")
                .contains("\"imagePullPolicy\":\"Always\"");
    }

    @Test
    void givenACompliancePolicy_thenProxiesAreTold() {
        var settings = new DeploySettings(
                "default", "mesh", "example.org", "c", "", "image", "Always", "info", Set.of(Option.POST_QUANTUM_TLS));

        var pod = Json.compact(object(Scene.of(WAYPOINT).plan(settings, Scene.FACTS), Kinds.DEPLOYMENT));

        assertThat(pod).contains("{\"name\":\"COMPLIANCE_POLICY\",\"value\":\"pqc\"}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            [{value: 192.0.2.1}]                                    | true
            [{type: IPAddress, value: "2001:db8::1"}]               | true
            [{type: Hostname, value: front.shop.svc.cluster.local}] | false
            [{value: 192.0.2.1}, {value: 192.0.2.2}]                | false
            [{type: example.com/own, value: a}]                     | false
            """)
    void givenAddresses_thenDeployedOrNot(String addresses, boolean deployed) {
        var scene = Scene.of(WAYPOINT + "  addresses: " + addresses + "\n");

        assertThat(scene.plan()).isInstanceOf(deployed ? Plan.Deploy.class : Plan.Nothing.class);
    }

    @Test
    void givenRemoteClass_thenNothing() {
        assertThat(Scene.of(WAYPOINT.replace("istio-waypoint", "istio-remote")).plan())
                .isInstanceOf(Plan.Nothing.class);
    }

    @ParameterizedTest
    @CsvSource({
        "istio, , INGRESS",
        "istio-waypoint, , WAYPOINT",
        "istio-east-west, , EAST_WEST",
        "istio-eastwest, , EAST_WEST",
        "istio-remote, , REMOTE",
        "own, istio.io/gateway-controller, INGRESS",
        "istio, example.com/theirs, ",
        "other, , "
    })
    void givenClass_thenProfile(String className, String controller, String profile) {
        assertThat(GatewayProfile.of(className, Optional.ofNullable(controller)).map(Enum::name))
                .isEqualTo(Optional.ofNullable(profile));
    }

    @Test
    void givenOwnClassOfIngressController_thenNamedByClass() {
        var gateway = Scene.of(WAYPOINT.replace("istio-waypoint", "own")).gateway();

        assertThat(gateway.objectName(GatewayProfile.INGRESS)).isEqualTo("waypoint-own");
    }

    // case 107
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {deployments: "spec: {}"}                                       | entry "deployments"
            {deployment: "spec: ["}                                         | broken
            {deployment: "[1]"}                                             | a list
            {deployment: "metadata: {name: other}"}                         | changes name of the Deployment
            {service: "metadata: {namespace: other}"}                       | changes namespace of the Service
            {service: "kind: ConfigMap"}                                    | changes kind
            {deployment: "apiVersion: v2"}                                  | changes apiVersion
            {deployment: "metadata: {labels: {gateway.istio.io/managed: null}}"} | changes gateway.istio.io/managed
            {serviceAccount: "metadata: {ownerReferences: [{uid: u1, $patch: delete}]}"} | changes ownerReferences
            {deployment: "metadata: 7"}                                     | makes no sense
            """)
    void givenBadOverlay_thenRefusedWithReason(String data, String reason) {
        assertThat(problem(data).message()).contains("ConfigMap shop/options").contains(reason);
    }

    private static Problem problem(String data) {
        try {
            var config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: options, namespace: shop}\ndata: " + data;
            return Scene.of(config + "\n---\n" + WAYPOINT).plan() instanceof Plan.Refused refused
                    ? refused.problem()
                    : Problem.ofInput("", "not refused", "");
        } catch (ProblemException e) {
            return e.problem();
        }
    }

    // case 108
    @Test
    void givenListenersWithSimilarNames_thenPortNamesAreUnique() {
        var twin = "a".repeat(63);

        var ports = ServicePorts.of(List.of(
                listener("web.a", 1),
                listener("web-a", 2),
                listener(twin + "x", 3),
                listener(twin + "y", 4),
                listener("status-port", 5),
                listener("again", 1),
                listener("own", 15021)));

        assertThat(ports)
                .extracting(ServicePorts.DeployedPort::name)
                .containsExactly("status-port", "web-a", "web-a-2", twin, "a".repeat(61) + "-2", "status-port-2");
        assertThat(ports)
                .extracting(ServicePorts.DeployedPort::name)
                .allMatch(name -> name.matches("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"));
    }

    private static Listener listener(String name, int port) {
        return Listener.plain(name, port, "HTTP", new AllowedRoutes(From.ALL, LabelSelector.EVERYTHING));
    }

    // case 109
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"kind": "ConfigMap", "apiVersion": "v1"}   | nothing that gateways are made of
            {"kind": "Deployment", "apiVersion": "v1"}  | nothing that gateways are made of
            {"metadata": {"namespace": "kube-system"}}  | another namespace
            {"metadata": {"name": "other"}}             | name that is not its own
            {"metadata": 1}                             | makes no sense
            """)
    void givenForeignObject_whenAdmitted_thenRefused(String change, String reason) {
        var scene = Scene.of(WAYPOINT);
        var changed = MergePatch.apply(object(scene.plan(), Kinds.SERVICE), Json.parse("change", change));

        assertThatThrownBy(() -> ObjectGuard.admit(scene.gateway(), scene.profile(), changed))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void givenNoOverlay_thenReplicasAreNotOurs() {
        var deployment = Field.root(object(Scene.of(WAYPOINT).plan(), Kinds.DEPLOYMENT));

        assertThat(deployment.at("spec").at("replicas").isPresent()).isFalse();
    }

    @Test
    void givenGateway_thenEveryObjectIsOwnedByIt() {
        for (var object : objects(Scene.of(Golden.input("east-west-overlays")).plan())) {
            var owners = Field.root(object.tree())
                    .at("metadata")
                    .at("ownerReferences")
                    .items();
            assertThat(owners).hasSize(1);
            assertThat(owners.getFirst().textMap())
                    .isEqualTo(Map.of(
                            "apiVersion", "gateway.networking.k8s.io/v1",
                            "kind", "Gateway",
                            "name", "eastwest",
                            "uid", "33333333-3333-3333-3333-333333333333"));
        }
    }

    private static List<PlannedObject> objects(Plan plan) {
        return switch (plan) {
            case Plan.Deploy deploy -> deploy.objects();
            case Plan.Nothing nothing -> throw new AssertionError(nothing.why());
            case Plan.Refused refused -> throw new AssertionError(refused.problem());
        };
    }

    private static Tree object(Plan plan, Kinds kind) {
        return objects(plan).stream()
                .filter(object -> object.kind() == kind)
                .findFirst()
                .orElseThrow()
                .tree();
    }
}
