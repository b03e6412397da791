// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fathom.tools.cli.Fathomctl;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// A folder full of mistakes, of which none may go unsaid.
@Timeout(120)
class ProblemListTest {
    private static final String GOOD = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop}
            spec: {clusterIP: 10.96.0.10, selector: {app: web}, ports: [{name: http, port: 80}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: bank, namespace: pay}
            spec: {clusterIP: 10.96.0.11, selector: {app: bank}, ports: [{name: http, port: 80}]}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: edge, namespace: shop}
            spec: {gatewayClassName: istio, listeners: [{name: http, port: 80, protocol: HTTP}]}
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: HTTPRoute
            metadata: {name: fine, namespace: shop}
            spec: {parentRefs: [{name: edge}], rules: [{backendRefs: [{name: web, port: 80}]}]}
            """;

    private static final KeyPair OWN_KEY = KeyAlgorithm.P256.generate();
    private static final KeyPair OTHER_KEY = KeyAlgorithm.P256.generate();
    private static final String CERTIFICATE = Pem.encode(
            RootCertificate.create(OWN_KEY, "edge", Instant.parse("2026-01-01T00:00:00Z"), Duration.ofDays(3650)));

    @TempDir
    private static Path folder;

    private static Fathomd fathomd;
    private static JsonNode problems;

    @BeforeAll
    static void start() throws Exception {
        Files.writeString(folder.resolve("good.yaml"), GOOD);
        Files.writeString(folder.resolve("damaged.yaml"), """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: damaged, namespace: shop}
                spec: {rules: [{form: [{source: {namespaces: [front]}}]}]}
                """);
        for (var mistake : mistakes().toList()) {
            var row = mistake.get();
            Files.writeString(folder.resolve(row[0] + ".yaml"), ((String) row[1]).replace("NAME", (String) row[0]));
        }
        var args = new ArrayList<>(List.of("--manifests", folder.toString(), "--listen-address", "127.0.0.1"));
        for (var flag : List.of("--plaintext-port", "--tls-port", "--http-port")) {
            args.addAll(List.of(flag, "0"));
        }
        fathomd = Fathomd.start(FathomdConfig.parse(args.toArray(String[]::new), Map.of()));
        problems = new JsonMapper().readTree(get("/debug/problemz"));
    }

    @AfterAll
    static void stop() {
        fathomd.close();
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake(
                        "a field that cannot be read",
                        "unreadable",
                        """
                        apiVersion: v1
                        kind: Service
                        metadata: {name: NAME, namespace: shop}
                        spec: {ports: 7}
                        """,
                        "Service/shop/unreadable",
                        "spec.ports",
                        "manifest-wrong-type"),
                mistake(
                        "a VirtualService to a missing host",
                        "vs-host",
                        """
                        apiVersion: networking.istio.io/v1
                        kind: VirtualService
                        metadata: {name: NAME, namespace: shop}
                        spec: {hosts: [web], http: [{route: [{destination: {host: gone}}]}]}
                        """,
                        "VirtualService/shop/vs-host",
                        "spec.http[0].route[0].destination.host",
                        "virtual-service-destination"),
                mistake(
                        "a VirtualService to a missing subset",
                        "vs-subset",
                        """
                        apiVersion: networking.istio.io/v1
                        kind: VirtualService
                        metadata: {name: NAME, namespace: shop}
                        spec: {hosts: [web], http: [{route: [{destination: {host: web, subset: v9}}]}]}
                        """,
                        "VirtualService/shop/vs-subset",
                        "spec.http[0].route[0].destination.subset",
                        "virtual-service-subset"),
                mistake(
                        "a VirtualService for a missing Gateway",
                        "vs-gateway",
                        """
                        apiVersion: networking.istio.io/v1
                        kind: VirtualService
                        metadata: {name: NAME, namespace: shop}
                        spec: {hosts: [web], gateways: [gone], http: [{route: [{destination: {host: web}}]}]}
                        """,
                        "VirtualService/shop/vs-gateway",
                        "spec.gateways[0]",
                        "virtual-service-gateway"),
                mistake(
                        "a DestinationRule for a missing host",
                        "dr-host",
                        """
                        apiVersion: networking.istio.io/v1
                        kind: DestinationRule
                        metadata: {name: NAME, namespace: shop}
                        spec: {host: gone}
                        """,
                        "DestinationRule/shop/dr-host",
                        "spec.host",
                        "destination-rule-host"),
                mistake(
                        "a Telemetry with an unknown provider",
                        "tel-provider",
                        """
                        apiVersion: telemetry.istio.io/v1
                        kind: Telemetry
                        metadata: {name: NAME, namespace: shop}
                        spec: {tracing: [{providers: [{name: gone}]}]}
                        """,
                        "Telemetry/shop/tel-provider",
                        "spec.tracing[0].providers[0].name",
                        "telemetry-no-provider"),
                mistake(
                        "a Telemetry with broken CEL",
                        "tel-cel",
                        """
                        apiVersion: telemetry.istio.io/v1
                        kind: Telemetry
                        metadata: {name: NAME, namespace: shop}
                        spec: {accessLogging: [{filter: {expression: 'response.code >='}}]}
                        """,
                        "Telemetry/shop/tel-cel",
                        "spec.accessLogging[0].filter.expression",
                        "telemetry-bad-expression"),
                mistake(
                        "an EnvoyFilter that nobody can apply",
                        "filter",
                        """
                        apiVersion: networking.istio.io/v1alpha3
                        kind: EnvoyFilter
                        metadata: {name: NAME, namespace: shop}
                        spec: {configPatches: [{applyTo: CLUSTER, patch: {operation: MERGE, value: {nonsense: 1}}}]}
                        """,
                        "EnvoyFilter/shop/filter",
                        "spec.configPatches[0]",
                        "envoyfilter-bad-value"),
                mistake(
                        "a policy for a missing target",
                        "target",
                        """
                        apiVersion: security.istio.io/v1
                        kind: AuthorizationPolicy
                        metadata: {name: NAME, namespace: shop}
                        spec: {targetRefs: [{kind: Service, group: "", name: gone}], rules: [{}]}
                        """,
                        "AuthorizationPolicy/shop/target",
                        "",
                        "target-not-found"),
                mistake(
                        "a WasmPlugin for a missing target",
                        "wasm",
                        """
                        apiVersion: extensions.istio.io/v1alpha1
                        kind: WasmPlugin
                        metadata: {name: NAME, namespace: shop}
                        spec: {url: "file:///x.wasm", targetRefs: [{kind: Service, group: "", name: gone}]}
                        """,
                        "WasmPlugin/shop/wasm",
                        "",
                        "target-not-found"),
                mistake(
                        "a BackendTLSPolicy for a missing Service",
                        "tls-policy",
                        """
                        apiVersion: gateway.networking.k8s.io/v1
                        kind: BackendTLSPolicy
                        metadata: {name: NAME, namespace: shop}
                        spec:
                          targetRefs: [{group: "", kind: Service, name: gone}]
                          validation: {wellKnownCACertificates: System, hostname: x.example}
                        """,
                        "BackendTLSPolicy/shop/tls-policy",
                        "spec.targetRefs[0]",
                        "policy-target-missing"),
                mistake(
                        "a Gateway of a class that is misspelt",
                        "class",
                        """
                        apiVersion: gateway.networking.k8s.io/v1
                        kind: Gateway
                        metadata: {name: NAME, namespace: shop}
                        spec: {gatewayClassName: istio-waipoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
                        """,
                        "Gateway/shop/class",
                        "spec.gatewayClassName",
                        "gateway-class-unknown"),
                mistake(
                        "a Gateway of a class that nobody declares",
                        "no-class",
                        """
                        apiVersion: gateway.networking.k8s.io/v1
                        kind: Gateway
                        metadata: {name: NAME, namespace: shop}
                        spec: {gatewayClassName: nginx, listeners: [{name: http, port: 80, protocol: HTTP}]}
                        """,
                        "Gateway/shop/no-class",
                        "spec.gatewayClassName",
                        "gateway-class-unknown"),
                mistake(
                        "a listener without its Secret",
                        "no-secret",
                        secureGateway(),
                        "Gateway/shop/no-secret",
                        "spec.listeners[https]",
                        "invalid-certificate-ref"),
                mistake(
                        "a listener with a Secret of another type",
                        "ssh-secret",
                        secureGateway() + secret("kubernetes.io/ssh-auth", OWN_KEY),
                        "Gateway/shop/ssh-secret",
                        "spec.listeners[https]",
                        "invalid-certificate-ref"),
                mistake(
                        "a listener with the key of another certificate",
                        "other-key",
                        secureGateway() + secret("kubernetes.io/tls", OTHER_KEY),
                        "Gateway/shop/other-key",
                        "spec.listeners[https]",
                        "invalid-certificate-ref"),
                mistake(
                        "a listener with the certificate of an authority",
                        "authority",
                        secureGateway() + secret("kubernetes.io/tls", OWN_KEY),
                        "Gateway/shop/authority",
                        "spec.listeners[https]",
                        "invalid-certificate-ref"),
                mistake(
                        "a route without its parent",
                        "no-parent",
                        route("{name: gone}", "{name: web, port: 80}"),
                        "HTTPRoute/shop/no-parent",
                        "spec.parentRefs[0]",
                        "route-parent-missing"),
                mistake(
                        "a route to a missing section",
                        "no-section",
                        route("{name: edge, sectionName: gone}", "{name: web, port: 80}"),
                        "HTTPRoute/shop/no-section",
                        "spec.parentRefs[0]",
                        "no-matching-parent"),
                mistake(
                        "a route for a missing Service",
                        "no-service",
                        route("{kind: Service, group: \"\", name: gone}", "{name: web, port: 80}"),
                        "HTTPRoute/shop/no-service",
                        "spec.parentRefs[0]",
                        "no-matching-parent"),
                mistake(
                        "a route for a kind of parent that is none",
                        "parent-kind",
                        route("{kind: Gatway, name: edge}", "{name: web, port: 80}"),
                        "HTTPRoute/shop/parent-kind",
                        "spec.parentRefs[0]",
                        "route-parent-unknown"),
                mistake(
                        "a route without its backend",
                        "no-backend",
                        route("{name: edge}", "{name: gone, port: 80}"),
                        "HTTPRoute/shop/no-backend",
                        "spec.rules",
                        "backend-not-found"),
                mistake(
                        "a route that crosses namespaces without a grant",
                        "no-grant",
                        route("{name: edge}", "{name: bank, namespace: pay, port: 80}"),
                        "HTTPRoute/shop/no-grant",
                        "spec.rules",
                        "ref-not-permitted"),
                mistake(
                        "a Service without its waypoint",
                        "unbound",
                        """
                        apiVersion: v1
                        kind: Service
                        metadata: {name: NAME, namespace: shop, labels: {istio.io/use-waypoint: gone}}
                        spec: {clusterIP: 10.96.0.12, ports: [{name: http, port: 80}]}
                        """,
                        "Service/shop/unbound",
                        "",
                        "waypoint-is-not-ready"),
                mistake(
                        "a ServiceEntry that only a waypoint serves",
                        "wildcard",
                        """
                        apiVersion: networking.istio.io/v1
                        kind: ServiceEntry
                        metadata: {name: NAME, namespace: shop}
                        spec: {hosts: ["*.example.com"], ports: [{number: 443, name: tls, protocol: TLS}], resolution: NONE}
                        """,
                        "ServiceEntry/shop/wildcard",
                        "",
                        "no-waypoint-for-wildcard-service"));
    }

    private static Arguments mistake(String name, String file, String yaml, String object, String field, String code) {
        return argumentSet(name, file, yaml, object, field, code);
    }

    private static String secureGateway() {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: NAME, namespace: shop}
                spec:
                  gatewayClassName: istio
                  listeners:
                  - {name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: NAME}]}}
                """;
    }

    private static String secret(String type, KeyPair key) {
        return """
                ---
                {apiVersion: v1, kind: Secret, metadata: {name: NAME, namespace: shop}, type: %s, data: {tls.crt: %s, tls.key: %s}}
                """.formatted(type, encoded(CERTIFICATE), encoded(Pem.encode(key.getPrivate())));
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String route(String parent, String backend) {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: NAME, namespace: shop}
                spec: {parentRefs: [%s], rules: [{backendRefs: [%s]}]}
                """.formatted(parent, backend);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void whenSomethingIsNotAsMeant_thenItIsSaid(String file, String yaml, String object, String field, String code) {
        assertThat(problems)
                .filteredOn(problem -> problem.path("object").asText().equals(object))
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.path("code").asText()).isEqualTo(code);
                    assertThat(problem.path("field").asText()).isEqualTo(field);
                    assertThat(problem.path("severity").asText()).isEqualTo("ERROR");
                    assertThat(problem.path("file").asText()).endsWith(file + ".yaml");
                    assertThat(problem.path("line").asInt()).isPositive();
                    assertThat(problem.path("message").asText()).isNotEmpty();
                    assertThat(problem.path("fix").asText()).isNotEmpty();
                });
    }

    @Test
    void givenADamagedPolicy_thenItsMistakeAndItsEffectAreSaidOnce() {
        assertThat(problems)
                .filteredOn(problem -> problem.path("object").asText().equals("AuthorizationPolicy/shop/damaged"))
                .extracting(problem -> problem.path("code").asText())
                .containsExactlyInAnyOrder("manifest-unknown-field", "policy-damaged");
    }

    @Test
    void givenGoodObjects_thenNothingIsSaidAboutThem() {
        assertThat(problems)
                .extracting(problem -> problem.path("object").asText())
                .filteredOn(object -> !object.equals("Gateway/shop/edge")) // no proxy of it runs here
                .filteredOn(object -> !object.endsWith("/damaged"))
                .doesNotContain("Service/shop/web", "Service/pay/bank", "HTTPRoute/shop/fine")
                .hasSameSizeAs(mistakes().toList());
    }

    @Test
    void whenCounted_thenByCodeAndSeverity() throws Exception {
        assertThat(get("/metrics"))
                .contains("fathom_problems{code=\"virtual-service-subset\",severity=\"ERROR\"} 1\n")
                .contains("fathom_problems{code=\"no-matching-parent\",severity=\"ERROR\"} 2\n");
    }

    @Test
    void whenStatusIsAskedFor_thenRoutesSayItOfEachParent() throws Exception {
        var status = new JsonMapper().readTree(get("/debug/statusz"));
        var parent = status.path("HTTPRoute/shop/no-backend").path("parents").path(0);
        assertThat(parent.path("name").asText()).isEqualTo("Gateway/shop/edge");
        assertThat(parent.path("conditions"))
                .extracting(each ->
                        each.path("type").asText() + "=" + each.path("status").asText() + " "
                                + each.path("reason").asText())
                .containsExactly("Accepted=True Accepted", "ResolvedRefs=False BackendNotFound");
    }

    @Test
    void whenTheToolAsks_thenItPrintsThemAndFails() {
        var out = new StringWriter();
        assertThat(fathomctl(out, "get", "problems", "-n", "shop")).isEqualTo(1);
        assertThat(out.toString())
                .contains("SEVERITY", "vs-subset.yaml:1", "VirtualService/shop/vs-subset", "subset v9 of web");
        assertThat(fathomctl(out, "get", "status", "-n", "shop")).isZero();
        assertThat(out.toString()).contains("Gateway/shop/edge", "BackendNotFound");
    }

    @Test
    void givenAnotherNamespace_thenTheToolSaysNothingIsWrongThere() {
        var out = new StringWriter();
        assertThat(fathomctl(out, "get", "problems", "-n", "pay")).isZero();
        assertThat(out.toString()).isEqualTo("no problems in namespace pay\n");
    }

    private static int fathomctl(StringWriter out, String... args) {
        var all = new ArrayList<>(List.of("--fathomd", "127.0.0.1:" + fathomd.httpPort()));
        all.addAll(List.of(args));
        var printer = new PrintWriter(out, true);
        return Fathomctl.run(all.toArray(String[]::new), Map.of(), "test", printer, printer);
    }

    private static String get(String path) throws IOException, InterruptedException {
        try (var http = HttpClient.newHttpClient()) {
            var uri = URI.create("http://127.0.0.1:" + fathomd.httpPort() + path);
            return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                    .body();
        }
    }
}
