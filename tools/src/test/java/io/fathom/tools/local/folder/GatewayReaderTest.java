// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.deploy.GatewayDraft;
import io.fathom.tools.local.folder.Deployment.Fact;
import io.fathom.tools.local.folder.Deployment.PodFile;
import io.fathom.tools.local.folder.Deployment.Value;
import io.fathom.tools.local.folder.Deployment.Variable;
import io.fathom.tools.local.pod.PodObject;
import io.fathom.wire.kube.folder.ObjectName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GatewayReaderTest {
    private static final GatewayReader READER =
            new GatewayReader("/bin/fathom-proxy", Map.of("FATHOM_ENVOY", "/envoy"), 15999, "Kubernetes", "");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void givenAWaypoint_thenItsPodRunsTheCompanion() throws IOException {
        var declared = declare("waypoint", "istio-waypoint", "{name: mesh, port: 15008, protocol: HBONE}");
        var played = Objects.requireNonNull(declared.gateways().get(new ObjectName("Gateway", "shop", "waypoint")));
        assertThat(played.reach()).isEqualTo(GatewayDraft.GatewayReach.INSIDE);
        var template = played.deployment().template();
        assertThat(template.command())
                .startsWith("/bin/fathom-proxy", "proxy", "waypoint", "--domain", "shop.svc.cluster.local")
                .contains("waypoint.shop");
        assertThat(template.labels())
                .containsEntry("gateway.istio.io/managed", "istio.io-mesh-controller")
                .containsEntry("istio.io/dataplane-mode", "none");
        assertThat(template.readiness()).isPresent();
        var environment = template.environment().stream().collect(Collectors.toMap(Variable::name, Variable::value));
        assertThat(environment)
                .containsEntry("POD_NAME", new Value.OfPod(Fact.NAME))
                .containsEntry("SERVICE_ACCOUNT", new Value.Text("waypoint"))
                .containsEntry("CA_ADDR", new Value.Text("istiod.istio-system.svc:15999"))
                .containsEntry("AUTH_TOKEN", new Value.OfRun(PodFile.TOKEN))
                .containsEntry("FATHOM_ENVOY", new Value.Text("/envoy"));
        assertThat(declared.deployments()).containsKey("shop/waypoint");
        assertThat(declared.services()).containsKey(new ObjectName("Service", "shop", "waypoint"));
    }

    @Test
    void givenAnIngress_thenItsPortsAreBalanced() throws IOException {
        var declared = declare("front", "istio", "{name: http, port: 80, protocol: HTTP}");
        var played = Objects.requireNonNull(declared.gateways().get(new ObjectName("Gateway", "shop", "front")));
        assertThat(played.reach()).isEqualTo(GatewayDraft.GatewayReach.LOAD_BALANCER);
        assertThat(played.as().balanced()).containsEntry(80, 80);
        assertThat(PodObject.service(played.as().json(), "198.19.8.1", Optional.of("198.19.0.101")))
                .contains("\"loadBalancer\":{\"ingress\":[{\"ip\":\"198.19.0.101\"}]}");
        assertThat(PodObject.gateway(played.json(), List.of("198.19.0.101"), List.of()))
                .contains("\"status\":{\"addresses\":[{\"type\":\"IPAddress\",\"value\":\"198.19.0.101\"}]}");
    }

    @Test
    void givenParametersInAnotherFile_thenTheyScaleIt_andAMistakeInThemKeepsWhatWas() throws IOException {
        Files.writeString(folder.resolve("overlay.yaml"), """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: more, namespace: shop}
                data: {deployment: "spec: {replicas: 3}"}
                """);
        Files.writeString(folder.resolve("gateway.yaml"), """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: waypoint, namespace: shop}
                spec:
                  gatewayClassName: istio-waypoint
                  infrastructure: {parametersRef: {group: "", kind: ConfigMap, name: more}}
                  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
                """);
        var user = new UserFolder(folder, Optional.of(READER));

        var declared = user.poll().orElseThrow();
        assertThat(declared.problems()).isEmpty();
        assertThat(waypoint(declared).replicas()).isEqualTo(3);

        Files.delete(folder.resolve("overlay.yaml"));
        assertThat(user.poll()).isEmpty();
        declared = user.poll().orElseThrow();
        assertThat(declared.problems())
                .singleElement()
                .asString()
                .contains("gateway.yaml", "Gateway shop/waypoint", "there is no ConfigMap shop/more");
        assertThat(waypoint(declared).replicas()).isEqualTo(3);
    }

    private static Deployment waypoint(Declared declared) {
        return Objects.requireNonNull(declared.deployments().get("shop/waypoint"));
    }

    @Test
    void givenClassesOfOthers_orNoEnvoy_thenNothingRuns() throws IOException {
        assertThat(declare("a", "nginx", "{name: http, port: 80, protocol: HTTP}")
                        .gateways())
                .isEmpty();
        assertThat(new UserFolder(folder, Optional.empty()).poll().orElseThrow().gateways())
                .isEmpty();
    }

    private Declared declare(String name, String gatewayClass, String listener) throws IOException {
        Files.writeString(folder.resolve("gateway.yaml"), """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: %s, namespace: shop}
                spec:
                  gatewayClassName: %s
                  listeners: [%s]
                """.formatted(name, gatewayClass, listener));
        return new UserFolder(folder, Optional.of(READER)).poll().orElseThrow();
    }
}
