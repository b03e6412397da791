// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What comes in through a gateway, and where it goes.
@Tag("slow")
@Tag("interop")
class IngressIT {
    private static IngressLab lab;
    private static LabEnvoy envoy;
    private static OutsideClient client;
    private static EchoPod meshed;
    private static EchoPod waypoint;
    private static EchoPod canary;

    @BeforeAll
    static void start() throws Exception {
        lab = new IngressLab();
        lab.write("gateway", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: gw, namespace: edge}
                spec:
                  gatewayClassName: istio
                  allowedListeners: {namespaces: {from: All}}
                  tls: {backend: {clientCertificateRef: {name: cert-b}}}
                  listeners:
                  - {name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
                  - {name: void, port: 81, protocol: HTTP}
                  - name: a
                    port: 443
                    protocol: HTTPS
                    hostname: a.example
                    tls: {certificateRefs: [{name: cert-a}]}
                    allowedRoutes: {namespaces: {from: All}}
                  - name: b
                    port: 443
                    protocol: HTTPS
                    hostname: b.example
                    tls: {certificateRefs: [{name: cert-b}]}
                    allowedRoutes: {namespaces: {from: All}}
                  - name: late
                    port: 443
                    protocol: HTTPS
                    hostname: late.example
                    tls: {certificateRefs: [{name: cert-late}]}
                    allowedRoutes: {namespaces: {from: All}}
                  - name: through
                    port: 443
                    protocol: TLS
                    hostname: "*.through.example"
                    tls: {mode: Passthrough}
                    allowedRoutes: {namespaces: {from: All}}
                  - name: ended
                    port: 443
                    protocol: TLS
                    hostname: "*.ended.example"
                    tls: {certificateRefs: [{name: cert-b}]}
                    allowedRoutes: {namespaces: {from: All}}
                """);
        lab.write("istio-gateway", """
                apiVersion: networking.istio.io/v1
                kind: Gateway
                metadata: {name: classic, namespace: shop}
                spec:
                  selector: {gateway.networking.k8s.io/gateway-name: gw}
                  servers:
                  - {port: {number: 8080, name: http, protocol: HTTP}, hosts: [classic.example, "*.classic.example"]}
                  - port: {number: 8443, name: https, protocol: HTTPS}
                    hosts: [classic.example]
                    tls: {mode: SIMPLE, credentialName: cert-b, cipherSuites: [ECDHE-ECDSA-AES128-GCM-SHA256, ECDHE-RSA-AES128-GCM-SHA256, fake]}
                ---
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: classic, namespace: shop}
                spec:
                  hosts: [classic.example]
                  gateways: [classic]
                  http:
                  - match: [{uri: {prefix: /away}, gateways: [classic]}]
                    delegate: {name: away, namespace: outside}
                  - route: [{destination: {host: meshed, port: {number: 80}}}]
                ---
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: away, namespace: outside}
                spec:
                  exportTo: [shop]
                  http:
                  - match: [{uri: {prefix: /away/there}}]
                    route: [{destination: {host: plain, port: {number: 80}}}]
                ---
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: far, namespace: outside}
                spec:
                  hosts: [far.classic.example]
                  gateways: [shop/classic]
                  exportTo: [edge]
                  http: [{route: [{destination: {host: plain, port: {number: 80}}}]}]
                ---
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: private, namespace: outside}
                spec:
                  hosts: [private.classic.example]
                  gateways: [shop/classic]
                  exportTo: ["."]
                  http: [{route: [{destination: {host: plain, port: {number: 80}}}]}]
                """);
        lab.secret("cert-a");
        lab.secret("cert-b");

        lab.service("shop", "meshed", 1, "{}", "{name: http, port: 80, targetPort: 8080}");
        meshed = lab.meshed("meshed-1", "server", "{app: meshed}");
        route("shop", "meshed", "meshed.example", "{name: meshed, port: 80}");

        lab.service("outside", "plain", 2, "{}", "{name: http, port: 80, targetPort: 8080}");
        lab.plain("plain-1", "{app: plain}");
        route("outside", "plain", "plain.example", "{name: plain, port: 80}");
        route("outside", "secure", "a.example", "{name: plain, port: 80}");

        lab.service("outside", "encrypted", 3, "{}", "{name: tls, port: 443, targetPort: 8443}");
        lab.encrypted("encrypted-1", "{app: encrypted}");
        lab.write("tls-route", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: TLSRoute
                metadata: {name: through, namespace: outside}
                spec:
                  parentRefs: [{name: gw, namespace: edge, sectionName: through}]
                  hostnames: [www.through.example]
                  rules: [{backendRefs: [{name: encrypted, port: 443}]}]
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: TLSRoute
                metadata: {name: ended, namespace: outside}
                spec:
                  parentRefs: [{name: gw, namespace: edge, sectionName: ended}]
                  hostnames: [www.ended.example]
                  rules: [{backendRefs: [{name: plain, port: 80}]}]
                """);

        lab.service("outside", "picky", 6, "{}", "{name: https, port: 443, targetPort: 8443}");
        lab.mutual("picky-1", "{app: picky}");
        lab.authorities("outside", "ca");
        route("outside", "picky", "picky.example", "{name: picky, port: 443}");
        lab.write("backend-tls", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: BackendTLSPolicy
                metadata: {name: picky, namespace: outside}
                spec:
                  targetRefs: [{group: "", kind: Service, name: picky}]
                  validation:
                    caCertificateRefs: [{group: "", kind: ConfigMap, name: ca}]
                    hostname: picky.example
                    subjectAltNames: [{type: URI, uri: "%s"}]
                """.formatted(lab.uri("picky-1")));

        lab.write("listener-set", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: ListenerSet
                metadata: {name: more, namespace: outside}
                spec:
                  parentRef: {name: gw, namespace: edge}
                  listeners:
                  - {name: http, port: 82, protocol: HTTP}
                  - name: a
                    port: 443
                    protocol: HTTPS
                    hostname: set.example
                    tls: {certificateRefs: [{name: cert-b, namespace: edge}]}
                  - {name: again, port: 443, protocol: TLS, hostname: a.example, tls: {mode: Passthrough}}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: ReferenceGrant
                metadata: {name: sets, namespace: edge}
                spec:
                  from: [{group: gateway.networking.k8s.io, kind: ListenerSet, namespace: outside}]
                  to: [{group: "", kind: Secret, name: cert-b}]
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: more, namespace: outside}
                spec:
                  parentRefs: [{kind: ListenerSet, name: more}]
                  rules: [{backendRefs: [{name: plain, port: 80}]}]
                """);

        lab.writeWaypoint("shop", "waypoint", 250, "");
        waypoint = lab.meshed("waypoint-1", "waypoint", Lab.waypointLabels("waypoint"));
        lab.writeWaypoint("shop", "canary", 251, "");
        canary = lab.meshed("canary-1", "canary", Lab.waypointLabels("canary"));
        guarded("guarded", 4, "\"true\"");
        guarded("unguarded", 5, "\"true\"");

        envoy = lab.start().ready();
        client = lab.client();
    }

    @AfterAll
    static void stop() throws Exception {
        lab.close();
    }

    private static ConditionFactory soon() {
        return Awaitility.await().atMost(Duration.ofSeconds(60));
    }

    private static void route(String namespace, String name, String host, String backend) {
        lab.write("route-" + name, """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: %2$s, namespace: %1$s}
                spec:
                  parentRefs: [{name: gw, namespace: edge}]
                  hostnames: [%3$s]
                  rules: [{backendRefs: [%4$s]}]
                """.formatted(namespace, name, host, backend));
    }

    /// A service behind the waypoint.
    ///
    /// @param ingress whether gateways go through it, too
    private static void guarded(String name, int vip, String ingress) {
        lab.service(
                "shop",
                name,
                vip,
                "{istio.io/use-waypoint: waypoint, istio.io/ingress-use-waypoint: " + ingress + "}",
                "{name: http, port: 80, targetPort: 8080}");
        lab.meshed(name + "-1", "server", "{app: " + name + "}");
        route("shop", name, name + ".example", "{name: " + name + ", port: 80}");
    }

    /// Case 96: upstream's tool prints every kind, and finds what leads to each chain of the running proxy.
    @Test
    void givenDump_whenTheToolReadsIt_thenEachChainHasAMatch() throws IOException {
        var folder = envoy.folder();
        soon().untilAsserted(() -> assertThat(ConfigTool.print(envoy, folder, "listeners"))
                .containsPattern("0[.]0[.]0[.]0 +80 +ALL +Route: http[.]80")
                .containsPattern("0[.]0[.]0[.]0 +443 +SNI: www[.]through[.]example +Cluster: outbound[|]443")
                .containsPattern("0[.]0[.]0[.]0 +443 +SNI: a[.]example +Route: https[.]443[.]")
                .containsPattern("0[.]0[.]0[.]0 +8080 +ALL +Route: http[.]8080"));
        assertThat(ConfigTool.chains(envoy, folder))
                .isNotEmpty()
                .allSatisfy(chain -> assertThat(chain.match()).isNotIn("NONE", "UNMATCHED", ""));
        assertThat(ConfigTool.print(envoy, folder, "routes"))
                .containsPattern("http[.]80 +meshed[.]example:80 +meshed[.]example +/[*]");
        assertThat(ConfigTool.print(envoy, folder, "clusters"))
                .containsPattern("meshed[.]shop[.]svc[.]cluster[.]local +80 +- +outbound +EDS");
        assertThat(ConfigTool.print(envoy, folder, "secrets")).contains("kubernetes-gateway://");
        assertThat(ConfigTool.endpoints(envoy, folder)).contains("outbound|80||meshed.shop.svc.cluster.local");
        assertThat(ConfigTool.print(envoy, folder, "all")).contains("route/http.80", "endpoint/", "secret/");
    }

    @Test
    void givenABackendOutsideTheMesh_thenItIsReachedWithoutATunnel() {
        soon().untilAsserted(() -> assertThat(client.get(80, "plain.example")).contains("x-pod: plain-1"));
    }

    @Test
    void givenABackendInTheMesh_thenATunnelLeadsToItsPod() {
        soon().untilAsserted(() -> assertThat(client.get(80, "meshed.example")).contains("x-pod: meshed-1"));
        assertThat(meshed.tunnels()).allSatisfy(tunnel -> {
            assertThat(tunnel.toString()).contains(meshed.ip() + ":8080").contains("gw-istio");
        });
    }

    @Test
    void givenAServiceWhoseWaypointIsForGatewaysToo_thenTheTunnelEndsThere() {
        soon().untilAsserted(() -> assertThat(client.get(80, "guarded.example")).contains("x-pod: waypoint-1"));
        assertThat(waypoint.tunnels())
                .anySatisfy(tunnel -> assertThat(tunnel.toString()).contains(lab.vip(4) + ":80"))
                .allSatisfy(tunnel -> assertThat(tunnel.headers().baggage().orElse(""))
                        .describedAs("its metrics know where requests come from")
                        .contains("k8s.namespace.name=edge,k8s.deployment.name=gw"));
    }

    @Test
    void givenTheLabelIsTakenAway_thenTheTunnelLeadsToThePod() {
        soon().untilAsserted(
                        () -> assertThat(client.get(80, "unguarded.example")).contains("x-pod: waypoint-1"));
        lab.service(
                "shop",
                "unguarded",
                5,
                "{istio.io/use-waypoint: waypoint}",
                "{name: http, port: 80, targetPort: 8080}");
        soon().untilAsserted(
                        () -> assertThat(client.get(80, "unguarded.example")).contains("x-pod: unguarded-1"));
    }

    /// Case 76.
    @Test
    void givenWeightedWaypoints_whenNoneOfThemIsReady_thenRequestsFailAndNeverGoPast() {
        lab.write("service-split", """
                apiVersion: v1
                kind: Service
                metadata:
                  name: split
                  namespace: shop
                  labels:
                    istio.io/use-waypoint: waypoint
                    istio.io/use-waypoint-canary: canary
                    istio.io/ingress-use-waypoint: "true"
                  annotations: {istio.io/use-waypoint-canary-weight: "40"}
                spec: {clusterIP: %s, selector: {app: split}, ports: [{name: http, port: 80, targetPort: 8080}]}
                """.formatted(lab.vip(6)));
        var behind = lab.meshed("split-1", "server", "{app: split}");
        route("shop", "split", "split.example", "{name: split, port: 80}");
        soon().untilAsserted(() -> assertThat(client.get(80, "split.example")).contains("x-pod: canary-1"));
        var answers = new HashMap<String, Integer>();
        for (int i = 0; i < 60; i++) {
            var answer = client.get(80, "split.example");
            answers.merge(answer.contains("x-pod: canary-1") ? "canary" : "other", 1, Integer::sum);
            assertThat(answer).containsAnyOf("x-pod: canary-1", "x-pod: waypoint-1");
        }
        assertThat(answers.get("canary")).isBetween(5, 50);

        readiness("waypoint-1", waypoint, "waypoint", "False");
        readiness("canary-1", canary, "canary", "False");
        try {
            soon().untilAsserted(
                            () -> assertThat(client.get(80, "split.example")).startsWith("HTTP/1.1 503"));
            for (int i = 0; i < 10; i++) {
                assertThat(client.get(80, "split.example")).startsWith("HTTP/1.1 503");
            }
        } finally {
            readiness("waypoint-1", waypoint, "waypoint", "True");
            readiness("canary-1", canary, "canary", "True");
        }
        soon().untilAsserted(() -> assertThat(client.get(80, "split.example")).startsWith("HTTP/1.1 200"));
        assertThat(behind.tunnels()).isEmpty();
    }

    private static void readiness(String name, EchoPod pod, String gateway, String ready) {
        lab.writePod(
                "shop",
                name,
                pod.ip(),
                gateway,
                Lab.waypointLabels(gateway),
                "{ambient.istio.io/redirection: enabled}",
                ready);
    }

    @Test
    void givenNoRoute_thenRequestsGet404() {
        soon().untilAsserted(() -> assertThat(client.get(81, "plain.example")).startsWith("HTTP/1.1 404"));
        assertThat(client.get(80, "nobody.example")).startsWith("HTTP/1.1 404");
    }

    @Test
    void givenSeveralCertificates_thenTheServerNameChoosesAndTheFirstListenerKeepsIt() {
        soon().untilAsserted(
                        () -> assertThat(client.certificate(443, "a.example")).contains("cert-a"));
        assertThat(client.certificate(443, "b.example")).contains("cert-b");
        assertThat(client.certificate(443, "c.example")).isEmpty();
        assertThat(client.secure(443, "a.example")).contains("x-pod: plain-1");
        assertThat(client.secure(443, "b.example")).startsWith("HTTP/1.1 404");
    }

    @Test
    void givenPassthrough_thenTheBackendShowsItsCertificate() {
        soon().untilAsserted(() ->
                assertThat(client.certificate(443, "www.through.example")).contains("encrypted-1"));
        assertThat(client.secure(443, "www.through.example")).containsIgnoringCase("x-pod: encrypted-1");
    }

    @Test
    void givenTlsThatEndsAtTheGateway_thenItsBytesGoOnByServerName() {
        soon().untilAsserted(() ->
                assertThat(client.secure(443, "www.ended.example")).containsIgnoringCase("x-pod: plain-1"));
        assertThat(client.certificate(443, "www.ended.example")).contains("cert-b");
        assertThat(client.certificate(443, "other.ended.example")).isEmpty();
    }

    @Test
    void givenASecretThatComesLaterAndGoes_thenItsListenerServesMeanwhile() {
        soon().untilAsserted(
                        () -> assertThat(client.certificate(443, "a.example")).contains("cert-a"));
        assertThat(client.certificate(443, "late.example")).isEmpty();
        lab.secret("cert-late");
        soon().untilAsserted(() ->
                assertThat(client.certificate(443, "late.example")).contains("cert-late"));
        lab.remove("secret-cert-late");
        soon().untilAsserted(() ->
                assertThat(client.certificate(443, "late.example")).isEmpty());
        assertThat(lab.fathomd().text("/debug/problemz")).contains("Gateway/edge/gw", "spec.listeners[late]");
    }

    @Test
    void givenABackendThatWantsToKnowWhoCalls_thenTheGatewayShowsItsCertificate() {
        soon().untilAsserted(() -> assertThat(client.get(80, "picky.example"))
                .containsIgnoringCase("x-pod: picky-1")
                .containsIgnoringCase("x-client: " + lab.uri("cert-b")));
    }

    @Test
    void givenAConnectionOfAnotherListener_thenRequestsAreMisdirected() {
        soon().untilAsserted(() -> assertThat(client.secure(443, "a.example")).contains("x-pod: plain-1"));
        assertThat(client.secure(443, "a.example", "b.example")).startsWith("HTTP/1.1 421");
        assertThat(client.secure(443, "b.example", "a.example")).startsWith("HTTP/1.1 421");
        assertThat(client.secure(443, "a.example", "x.through.example")).startsWith("HTTP/1.1 421");
        assertThat(client.secure(443, "a.example", "nobody.example")).startsWith("HTTP/1.1 404");
    }

    @Test
    void givenAListenerSet_thenItsPortsAndHostsServeItsRoutes() {
        soon().untilAsserted(() -> assertThat(client.get(82, "any.example")).contains("x-pod: plain-1"));
        assertThat(client.secure(443, "set.example")).contains("x-pod: plain-1");
        assertThat(client.certificate(443, "set.example")).contains("cert-b");
        assertThat(client.get(81, "any.example")).startsWith("HTTP/1.1 404");
    }

    @Test
    void givenADestinationRuleWithACredential_whenItsSecretComes_thenTheGatewayShowsItsCertificate() throws Exception {
        lab.service("outside", "mutual", 7, "{}", "{name: http, port: 80, targetPort: 8443}");
        lab.mutual("mutual-1", "{app: mutual}");
        route("outside", "mutual", "mutual.example", "{name: mutual, port: 80}");
        lab.write("rule-mutual", """
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: mutual, namespace: outside}
                spec:
                  host: mutual.outside.svc.cluster.local
                  trafficPolicy:
                    tls:
                      mode: MUTUAL
                      credentialName: cert-mutual
                      sni: mutual.example
                      subjectAltNames: ["spiffe://outside/ns/mutual-1/sa/host"]
                """);
        soon().untilAsserted(() -> assertThat(client.get(80, "mutual.example")).startsWith("HTTP/1.1 503"));
        soon().untilAsserted(() -> assertThat(lab.fathomd().text("/debug/ambientz"))
                .contains("DestinationRule/outside/mutual", "credential-missing", "edge/cert-mutual"));
        lab.secret("cert-mutual");
        soon().untilAsserted(() -> assertThat(client.get(80, "mutual.example"))
                .contains("x-pod: mutual-1")
                .contains("x-client: spiffe://outside/ns/cert-mutual/sa/host"));
        soon().until(() -> !lab.fathomd().text("/debug/ambientz").contains("credential-missing"));
    }

    @Test
    void givenAListenerThatIsNotServed_thenItIsSaid() {
        soon().untilAsserted(() -> assertThat(lab.fathomd().text("/debug/problemz"))
                .contains("ListenerSet/outside/more", "spec.listeners[again]"));
    }

    @Test
    void givenAnIstioGatewayAndAVirtualService_thenTheyServeBeside() {
        soon().untilAsserted(
                        () -> assertThat(client.get(8080, "classic.example")).contains("x-pod: meshed-1"));
        assertThat(client.get(8080, "other.example")).startsWith("HTTP/1.1 404");
        assertThat(client.certificate(8443, "classic.example")).contains("cert-b");
        assertThat(client.secure(8443, "classic.example")).contains("x-pod: meshed-1");
    }

    @Test
    void givenADelegate_thenItsRulesAreThoseOfWhoDelegates() {
        soon().untilAsserted(() ->
                assertThat(client.get(8080, "classic.example", "/away/there")).contains("x-pod: plain-1"));
        assertThat(client.get(8080, "classic.example", "/away")).contains("x-pod: meshed-1");
    }

    @Test
    void givenAGatewayOfAnotherNamespace_thenTheVirtualServiceCountsWhereItIsExportedTo() {
        soon().untilAsserted(() ->
                assertThat(client.get(8080, "far.classic.example")).contains("x-pod: plain-1"));
        assertThat(client.get(8080, "private.classic.example")).startsWith("HTTP/1.1 404");
    }

    @Test
    void givenNothingIsRefused_thenTheProxyTookAll() {
        assertThat(envoy.stat("listener_manager.lds.update_rejected")).isZero();
        assertThat(envoy.stat("cluster_manager.cds.update_rejected")).isZero();
    }
}
