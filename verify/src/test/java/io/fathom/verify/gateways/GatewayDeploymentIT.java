// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.gateways;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// The real control plane on a real API server turns Gateways, applied by the real kubectl and istioctl, into the
/// objects of the golden files, and says in their status what became of them. Nothing else of Kubernetes runs: pods are
/// made ready by hand.
@Tag("slow")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GatewayDeploymentIT {
    private static final Path GOLDEN = Path.of("../control/src/test/resources/deploy");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();

    private KubeApiServer cluster;
    private RunningFathomd fathomd;
    private Command kubectl;
    private Command istioctl;

    @BeforeAll
    void start() {
        cluster = KubeApiServer.start(InstantSource.system());
        kubectl = new Command(StockProgram.KUBECTL, cluster.kubeconfig());
        istioctl = new Command(StockProgram.ISTIOCTL, cluster.kubeconfig());
        for (var namespace : List.of("istio-system", "shop", "tools", "edge", "options", "versions", "cli")) {
            kubectl.apply("{apiVersion: v1, kind: Namespace, metadata: {name: " + namespace + "}}");
        }
        var settings = Map.of("FATHOM_PROXY_IMAGE", "proxy.example/fathom-proxy:1");
        fathomd = RunningFathomd.governing(cluster.kubeconfig(), settings);
    }

    @AfterAll
    void stop() {
        if (fathomd != null) {
            fathomd.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void givenWaypoint_thenDeployedExactlyAndUsableOnceReady() throws IOException {
        kubectl.apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop, labels: {istio.io/use-waypoint: waypoint}}
                spec: {ports: [{port: 80}], selector: {app: web}}
                """);
        kubectl.mustTake(
                Files.readString(GOLDEN.resolve("waypoint/input.yaml")).replaceAll("(?m)^  uid: .*\n", ""),
                "apply",
                "-f",
                "-");
        var uid = kubectl.get("gateway", "shop", "waypoint")
                .orElseThrow()
                .at("/metadata/uid")
                .asText();

        for (var want : golden("waypoint", uid)) {
            var live = present(want.path("kind").asText(), "shop", "waypoint");
            assertSubset(want, live, want.path("kind").asText());
            assertThat(managers(live)).contains("istio.io/gateway-controller");
        }
        var waiting = gateway("shop", "waypoint", has("Programmed", "False", "AddressNotAssigned"));
        assertThat(waiting.at("/metadata/annotations/gateway.istio.io~1controller-version")
                        .asText())
                .isEqualTo("5");
        assertThat(waiting.at("/status/addresses")).isEmpty();
        assertThat(waypointOf("web")).isEmpty();

        makeReady("shop", "waypoint");

        var ready = gateway("shop", "waypoint", has("Programmed", "True", "Programmed"));
        assertThat(addresses(ready)).hasSize(3).contains("Hostname waypoint.shop.svc.cluster.local");
        assertThat(addresses(ready)).anyMatch(text -> text.startsWith("IPAddress 10.96."));
        assertThat(addresses(ready)).anyMatch(text -> text.startsWith("IPAddress fd00:10:96::"));
        assertThat(ready.at("/status/listeners/0/conditions")).hasSize(4);
        for (var condition : ready.at("/status/conditions")) {
            assertThat(condition.path("observedGeneration").asInt())
                    .isEqualTo(ready.at("/metadata/generation").asInt());
        }
        await().atMost(PATIENCE).until(() -> waypointOf("web").equals(Optional.of("waypoint.shop.svc.cluster.local")));
        scaledAndRepaired();
    }

    /// Replicas are not fought over; everything else is.
    private void scaledAndRepaired() {
        kubectl.must("scale", "deployment", "waypoint", "-n", "shop", "--replicas=3");
        kubectl.must("label", "gateway", "waypoint", "-n", "shop", "team=shop");
        eventually(
                "deployment",
                "shop",
                "waypoint",
                live -> live.at("/spec/template/metadata/labels/team").asText().equals("shop"));
        assertThat(present("deployment", "shop", "waypoint")
                        .at("/spec/replicas")
                        .asInt())
                .isEqualTo(3);
        kubectl.must("set", "image", "deployment/waypoint", "-n", "shop", "istio-proxy=other:1");
        eventually(
                "deployment",
                "shop",
                "waypoint",
                live -> live.at("/spec/template/spec/containers/0/image")
                        .asText()
                        .equals("proxy.example/fathom-proxy:1"));
        var service = present("service", "shop", "waypoint").at("/metadata/uid").asText();
        kubectl.must("delete", "service", "waypoint", "-n", "shop");
        eventually(
                "service",
                "shop",
                "waypoint",
                live -> !live.at("/metadata/uid").asText().equals(service));
    }

    // case 104
    @Test
    void givenClasses_thenCreatedAgainWhenDeletedAndNeverChanged() {
        for (var name : List.of("istio", "istio-waypoint", "istio-remote", "istio-east-west")) {
            present("gatewayclass", "", name);
        }

        kubectl.must("delete", "gatewayclass", "istio-remote");
        kubectl.must("patch", "gatewayclass", "istio", "--type=merge", "-p", "{\"spec\":{\"description\":\"mine\"}}");

        var again = eventually("gatewayclass", "", "istio-remote", has("SupportedVersion", "True", "SupportedVersion"));
        assertThat(again.at("/spec/controllerName").asText()).isEqualTo("istio.io/unmanaged-gateway");
        var edited = eventually(
                "gatewayclass",
                "",
                "istio",
                has("Accepted", "True", "Accepted")
                        .and(live -> live.at("/status/conditions/0/observedGeneration")
                                        .asInt()
                                == live.at("/metadata/generation").asInt()));
        assertThat(edited.at("/spec/description").asText()).isEqualTo("mine");
    }

    // case 105
    @Test
    void givenVersions_thenOlderIsReplacedAndNewerIsLeftAlone() {
        kubectl.apply(waypoint("versions", "older", "{gateway.istio.io/controller-version: \"4\"}"));
        kubectl.apply(waypoint("versions", "newer", "{gateway.istio.io/controller-version: \"6\"}"));
        kubectl.apply(waypoint("versions", "odd", "{gateway.istio.io/controller-version: x}"));
        kubectl.apply(waypoint("versions", "last", "{}"));

        present("deployment", "versions", "older");
        present("deployment", "versions", "last"); // so the others were seen
        var older = gateway("versions", "older", live -> version(live).equals("5"));
        assertThat(older.at("/metadata/generation").asInt()).isEqualTo(1);
        assertThat(version(gateway("versions", "last", _ -> true))).isEqualTo("5");
        for (var name : List.of("newer", "odd")) {
            assertThat(kubectl.get("deployment", "versions", name)).isEmpty();
            assertThat(kubectl.get("serviceaccount", "versions", name)).isEmpty();
        }
        assertThat(version(gateway("versions", "newer", _ -> true))).isEqualTo("6");
    }

    // case 106
    @Test
    void givenServiceOfSomebodyElse_thenNeverTouchedAndTheStatusSaysSo() {
        kubectl.apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: taken, namespace: tools}
                spec: {ports: [{port: 1234}]}
                """);
        var before = present("service", "tools", "taken");

        kubectl.apply(waypoint("tools", "taken", "{}"));

        var status = gateway("tools", "taken", has("Programmed", "False", "Invalid"));
        assertThat(status.at("/status/conditions").toString()).contains("Service tools/taken");
        present("deployment", "tools", "taken");
        assertThat(present("service", "tools", "taken")).isEqualTo(before);

        kubectl.must("delete", "service", "taken", "-n", "tools");
        kubectl.must("label", "gateway", "taken", "-n", "tools", "try=again");
        gateway("tools", "taken", has("Programmed", "False", "AddressNotAssigned"));
        assertThat(present("service", "tools", "taken").at("/spec/ports/1/port").asInt())
                .isEqualTo(15008);
    }

    // case 107
    @Test
    void givenOverlays_thenFollowedAndBadOnesRefused() {
        kubectl.apply(overlay("own", "{deployments: \"spec: {}\"}"));
        kubectl.apply(waypoint("options", "tuned", "{}").replace("spec:", """
                spec:
                  infrastructure: {parametersRef: {group: "", kind: ConfigMap, name: own}}"""));
        var refused = gateway("options", "tuned", has("Accepted", "False", "InvalidParameters"));
        assertThat(refused.at("/status/conditions").toString()).contains("deployments");
        assertThat(kubectl.get("deployment", "options", "tuned")).isEmpty();

        kubectl.apply(overlay(
                "own", "{horizontalPodAutoscaler: \"spec: {maxReplicas: 4}\", deployment: \"spec: {replicas: 2}\"}"));
        assertThat(present("hpa", "options", "tuned").at("/spec/maxReplicas").asInt())
                .isEqualTo(4);
        assertThat(present("deployment", "options", "tuned")
                        .at("/spec/replicas")
                        .asInt())
                .isEqualTo(2);
        gateway("options", "tuned", has("Accepted", "True", "Accepted"));

        kubectl.apply("""
                apiVersion: v1
                kind: ConfigMap
                metadata:
                  name: waypoint-defaults
                  namespace: istio-system
                  labels: {gateway.istio.io/defaults-for-class: istio-waypoint}
                data: {deployment: "metadata: {annotations: {example.com/defaults: used}}"}
                """);
        eventually(
                "deployment",
                "options",
                "tuned",
                live -> live.at("/metadata/annotations/example.com~1defaults")
                        .asText()
                        .equals("used"));
        kubectl.must("delete", "configmap", "waypoint-defaults", "-n", "istio-system");

        kubectl.apply(overlay("own", "{deployment: \"spec: {replicas: 2}\"}"));
        await().atMost(PATIENCE)
                .until(() -> kubectl.get("hpa", "options", "tuned").isEmpty());
        eventually(
                "deployment",
                "options",
                "tuned",
                live -> live.at("/metadata/annotations/example.com~1defaults").isMissingNode());
    }

    @Test
    void givenIngressGateway_thenListenersAreJudgedAndTheBalancersAddressIsTold() {
        kubectl.apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: front, namespace: edge}
                spec:
                  gatewayClassName: istio
                  listeners:
                  - {name: http, port: 80, protocol: HTTP}
                  - {name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}
                  - {name: far, port: 444, protocol: HTTPS, tls: {certificateRefs: [{name: cert, namespace: tools}]}}
                """);
        present("deployment", "edge", "front-istio");
        var service = present("service", "edge", "front-istio");
        assertThat(service.at("/spec/type").asText()).isEqualTo("LoadBalancer");
        var bad = gateway("edge", "front", has("Accepted", "True", "ListenersNotValid"));
        assertThat(listener(bad, "https", "ResolvedRefs")).isEqualTo("InvalidCertificateRef");
        assertThat(listener(bad, "far", "ResolvedRefs")).isEqualTo("RefNotPermitted");

        kubectl.must("create", "secret", "tls", "cert", "-n", "edge", pem("--cert="), key("--key="));
        kubectl.must("create", "secret", "tls", "cert", "-n", "tools", pem("--cert="), key("--key="));
        kubectl.apply("""
                apiVersion: gateway.networking.k8s.io/v1beta1
                kind: ReferenceGrant
                metadata: {name: edge, namespace: tools}
                spec:
                  from: [{group: gateway.networking.k8s.io, kind: Gateway, namespace: edge}]
                  to: [{group: "", kind: Secret}]
                """);
        makeReady("edge", "front");
        var good = gateway("edge", "front", has("Accepted", "True", "Accepted"));
        assertThat(listener(good, "far", "ResolvedRefs")).isEqualTo("ResolvedRefs");
        gateway("edge", "front", has("Programmed", "False", "AddressNotAssigned"));

        kubectl.apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: shop, namespace: edge}
                spec: {parentRefs: [{name: front, sectionName: http}], rules: [{backendRefs: [{name: web, port: 80}]}]}
                """);
        gateway(
                "edge",
                "front",
                live -> live.at("/status/listeners/0/attachedRoutes").asInt() == 1);

        kubectl.must(
                "patch",
                "service",
                "front-istio",
                "-n",
                "edge",
                "--subresource=status",
                "--type=merge",
                "-p",
                "{\"status\":{\"loadBalancer\":{\"ingress\":[{\"ip\":\"192.0.2.4\"}]}}}");
        assertThat(addresses(gateway("edge", "front", has("Programmed", "True", "Programmed"))))
                .containsExactly("IPAddress 192.0.2.4");
    }

    @Test
    void givenListenerSets_thenTheirPortsAreServedAndTheyAreToldWhatBecameOfThem() {
        kubectl.apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: shared, namespace: edge}
                spec:
                  gatewayClassName: istio
                  listeners: [{name: http, port: 80, protocol: HTTP, hostname: own.example}]
                  allowedListeners: {namespaces: {from: Same}}
                  tls:
                    frontend: {default: {validation: {caCertificateRefs: [{group: "", kind: ConfigMap, name: clients}]}}}
                    backend: {clientCertificateRef: {name: client}}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: ListenerSet
                metadata: {name: more, namespace: edge}
                spec:
                  parentRef: {name: shared}
                  listeners:
                  - {name: extra, port: 8080, protocol: HTTP}
                  - {name: taken, port: 80, protocol: HTTP, hostname: own.example}
                  - {name: tls, port: 8443, protocol: HTTPS, tls: {certificateRefs: [{name: shared}]}}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: ListenerSet
                metadata: {name: foreign, namespace: tools}
                spec:
                  parentRef: {name: shared, namespace: edge}
                  listeners: [{name: x, port: 8081, protocol: HTTP}]
                """);
        var waiting = eventually("listenerset", "edge", "more", has("Accepted", "True", "ListenersNotValid"));
        assertThat(listener(waiting, "taken", "Conflicted")).isEqualTo("HostnameConflict");
        assertThat(listener(waiting, "tls", "ResolvedRefs")).isEqualTo("InvalidCertificateRef");
        assertThat(listener(waiting, "tls", "Accepted")).isEqualTo("NoValidCACertificate");
        eventually("listenerset", "tools", "foreign", has("Accepted", "False", "NotAllowed"));
        var gateway = gateway("edge", "shared", has("ResolvedRefs", "False", "InvalidClientCertificateRef"));
        assertThat(gateway.at("/status/attachedListenerSets").asInt()).isEqualTo(1);
        eventually(
                "service",
                "edge",
                "shared-istio",
                live -> live.at("/spec/ports").findValuesAsText("port").equals(List.of("15021", "80", "8080")));

        kubectl.must("create", "secret", "tls", "shared", "-n", "edge", pem("--cert="), key("--key="));
        kubectl.must("create", "secret", "tls", "client", "-n", "edge", pem("--cert="), key("--key="));
        kubectl.must("create", "configmap", "clients", "-n", "edge", pem("--from-file=ca.crt="));
        kubectl.apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: more, namespace: edge}
                spec:
                  parentRefs: [{kind: ListenerSet, name: more, sectionName: extra}]
                  rules: [{backendRefs: [{name: web, port: 80}]}]
                """);
        gateway("edge", "shared", has("ResolvedRefs", "True", "ResolvedRefs"));
        var resolved = eventually(
                "listenerset",
                "edge",
                "more",
                live -> listener(live, "tls", "Accepted").equals("Accepted")
                        && live.at("/status/listeners/0/attachedRoutes").asInt() == 1);
        assertThat(listener(resolved, "tls", "ResolvedRefs")).isEqualTo("ResolvedRefs");
        eventually(
                "httproute",
                "edge",
                "more",
                live -> live.at("/status/parents/0/parentRef/kind").asText().equals("ListenerSet")
                        && live.at("/status/parents/0/conditions/0/status")
                                .asText()
                                .equals("True"));

        makeReady("edge", "shared");
        kubectl.must(
                "patch",
                "service",
                "shared-istio",
                "-n",
                "edge",
                "--subresource=status",
                "--type=merge",
                "-p",
                "{\"status\":{\"loadBalancer\":{\"ingress\":[{\"ip\":\"192.0.2.5\"}]}}}");
        var ready = eventually("listenerset", "edge", "more", has("Programmed", "True", "Programmed"));
        assertThat(listener(ready, "extra", "Programmed")).isEqualTo("Programmed");

        kubectl.must("delete", "listenerset", "more", "-n", "edge");
        gateway(
                "edge",
                "shared",
                live -> live.at("/status/attachedListenerSets").asInt() == 0);
    }

    @Test
    void givenRemoteGateway_thenItsStatusSaysWhatItSays() {
        kubectl.apply("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: other-network, namespace: edge, labels: {topology.istio.io/network: net-2}}
                spec:
                  gatewayClassName: istio-remote
                  addresses: [{type: IPAddress, value: 192.0.2.77}]
                  listeners: [{name: cross-network, port: 15008, protocol: HBONE, tls: {mode: Passthrough}}]
                """);

        assertThat(addresses(gateway("edge", "other-network", has("Programmed", "True", "Programmed"))))
                .containsExactly("IPAddress 192.0.2.77");
        assertThat(kubectl.get("deployment", "edge", "other-network")).isEmpty();
    }

    @Test
    void givenStockIstioctl_thenItsWaypointCommandsWork() {
        istioctl.must("waypoint", "apply", "-n", "cli", "--name", "by-istioctl");
        present("deployment", "cli", "by-istioctl");
        makeReady("cli", "by-istioctl");
        gateway("cli", "by-istioctl", has("Programmed", "True", "Programmed"));

        assertThat(istioctl.must("waypoint", "status", "-n", "cli"))
                .contains("by-istioctl")
                .contains("True");
        assertThat(istioctl.must("waypoint", "list", "-n", "cli"))
                .contains("by-istioctl")
                .contains("True");
        istioctl.must("waypoint", "delete", "by-istioctl", "-n", "cli");
        assertThat(kubectl.get("gateway", "cli", "by-istioctl")).isEmpty();
        var left = present("deployment", "cli", "by-istioctl");
        assertThat(left.at("/metadata/ownerReferences/0/kind").asText()).isEqualTo("Gateway"); // nobody collects here
    }

    // Seeing.

    private JsonNode gateway(String namespace, String name, Predicate<JsonNode> condition) {
        return eventually("gateway", namespace, name, condition);
    }

    private JsonNode present(String kind, String namespace, String name) {
        return eventually(kind, namespace, name, _ -> true);
    }

    private JsonNode eventually(String kind, String namespace, String name, Predicate<JsonNode> condition) {
        var last = new ArrayList<JsonNode>();
        ThrowingRunnable look = () -> {
            var found = kubectl.get(kind, namespace, name);
            assertThat(found).isPresent();
            last.add(found.get());
            assertThat(condition.test(found.get()))
                    .as(() -> found.get().toPrettyString())
                    .isTrue();
        };
        await(kind + " " + namespace + "/" + name)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(look);
        return last.getLast();
    }

    private static Predicate<JsonNode> has(String type, String status, String reason) {
        return object -> {
            for (var condition : object.at("/status/conditions")) {
                if (condition.path("type").asText().equals(type)) {
                    return condition.path("status").asText().equals(status)
                            && condition.path("reason").asText().equals(reason);
                }
            }
            return false;
        };
    }

    private static String listener(JsonNode gateway, String name, String type) {
        for (var listener : gateway.at("/status/listeners")) {
            for (var condition : listener.path("conditions")) {
                if (listener.path("name").asText().equals(name)
                        && condition.path("type").asText().equals(type)) {
                    return condition.path("reason").asText();
                }
            }
        }
        return "";
    }

    private static List<String> addresses(JsonNode gateway) {
        var addresses = new ArrayList<String>();
        for (var address : gateway.at("/status/addresses")) {
            addresses.add(
                    address.path("type").asText() + " " + address.path("value").asText());
        }
        return addresses;
    }

    private static String version(JsonNode gateway) {
        return gateway.at("/metadata/annotations/gateway.istio.io~1controller-version")
                .asText();
    }

    private List<String> managers(JsonNode live) {
        var shown = kubectl.must(
                "get",
                live.path("kind").asText(),
                live.at("/metadata/name").asText(),
                "-n",
                live.at("/metadata/namespace").asText(),
                "--show-managed-fields",
                "-o",
                "jsonpath={.metadata.managedFields[*].manager}");
        return List.of(shown.split(" "));
    }

    /// The waypoint that node proxies are told for a service of namespace shop.
    private Optional<String> waypointOf(String service) {
        for (var known : fathomd.json("/debug/ambientz").path("services")) {
            if (known.path("name").asText().equals(service)) {
                var hostname = known.at("/waypoint/hostname/hostname").asText();
                return hostname.isEmpty() ? Optional.empty() : Optional.of(hostname);
            }
        }
        return Optional.empty();
    }

    // Doing.

    private static String waypoint(String namespace, String name, String annotations) {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: %s, namespace: %s, annotations: %s}
                spec:
                  gatewayClassName: istio-waypoint
                  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
                """.formatted(name, namespace, annotations);
    }

    private static String overlay(String name, String data) {
        return "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: options}, data: %s}"
                .formatted(name, data);
    }

    /// What a Deployment controller and a kubelet would do.
    private void makeReady(String namespace, String gateway) {
        kubectl.apply("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s-1
                  namespace: %2$s
                  labels: {gateway.networking.k8s.io/gateway-name: %1$s}
                spec: {containers: [{name: istio-proxy, image: none}]}
                """.formatted(gateway, namespace));
        kubectl.must(
                "patch",
                "pod",
                gateway + "-1",
                "-n",
                namespace,
                "--subresource=status",
                "--type=merge",
                "-p",
                "{\"status\":{\"phase\":\"Running\",\"podIP\":\"10.1.1.1\",\"podIPs\":[{\"ip\":\"10.1.1.1\"}],"
                        + "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}");
    }

    private String pem(String flag) {
        return flag + cluster.kubeconfig().resolveSibling("server.crt");
    }

    private String key(String flag) {
        return flag + cluster.kubeconfig().resolveSibling("server.key");
    }

    // Comparing.

    private static List<JsonNode> golden(String scenario, String uid) throws IOException {
        var text = Files.readString(GOLDEN.resolve(scenario).resolve("want.json"))
                .replaceAll("\"uid\": \"[^\"]*\"", "\"uid\": \"" + uid + "\"");
        try (var values = JSON.readerFor(JsonNode.class).<JsonNode>readValues(text)) {
            return values.readAll();
        }
    }

    /// The API server adds defaults; whatever we asked for is there.
    private static void assertSubset(JsonNode want, JsonNode live, String path) {
        if (want.isObject()) {
            want.properties()
                    .forEach(entry ->
                            assertSubset(entry.getValue(), live.path(entry.getKey()), path + "." + entry.getKey()));
        } else if (want.isArray()) {
            assertThat(live.size()).as(path).isEqualTo(want.size());
            for (var i = 0; i < want.size(); i++) {
                assertSubset(want.get(i), live.path(i), path + "[" + i + "]");
            }
        } else {
            assertThat(live).as(path).isEqualTo(want);
        }
    }
}
