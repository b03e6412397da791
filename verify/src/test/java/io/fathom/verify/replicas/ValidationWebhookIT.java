// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.testkit.TestCommand;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.client.StalledClients;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.Kubectl;
import io.fathom.verify.peers.Workspace;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A real API server asks our webhook about what a real `kubectl` applies.
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ValidationWebhookIT {
    private static final Logger log = LoggerFactory.getLogger(ValidationWebhookIT.class);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String NAME = "istio-validator-istio-system";

    @AutoClose
    private static KubeApiServer cluster;

    @AutoClose
    private static KubeClient client;

    @AutoClose
    private static RunningFathomd fathomd;

    private static Kubectl kubectl;
    private static int port;

    @BeforeAll
    static void start() {
        cluster = KubeApiServer.start(InstantSource.system());
        kubectl = Kubectl.of(cluster);
        client = new KubeClient(KubeConfig.fromFile(cluster.kubeconfig()), KubeSettings.DEFAULT);
        port = Workspace.freePort();
        for (var name : List.of("istio-system", "shop")) {
            client.create(KubeResource.NAMESPACES, "", Json.of(Map.of("metadata", Map.of("name", name))));
        }
        client.create(KubeResource.VALIDATING_WEBHOOKS, "", configuration());
        fathomd = begin();
    }

    private static RunningFathomd begin() {
        return RunningFathomd.governing(cluster.kubeconfig(), Map.of("FATHOM_WEBHOOK_PORT", String.valueOf(port)));
    }

    /// As a chart makes it: nobody is locked out before we serve, and nothing verifies us yet.
    private static Tree configuration() {
        var rules = List.of(rule("security.istio.io"), rule("networking.istio.io"), rule("gateway.networking.k8s.io"));
        return Json.of(Map.of(
                "metadata",
                Map.of("name", NAME, "labels", Map.of("istio.io/rev", "default", "app", "istiod")),
                "webhooks",
                List.of(Map.of(
                        "name",
                        "rev.validation.istio.io",
                        "clientConfig",
                        Map.of("url", "https://127.0.0.1:" + port + "/validate"),
                        "rules",
                        rules,
                        "failurePolicy",
                        "Ignore",
                        "sideEffects",
                        "None",
                        "admissionReviewVersions",
                        List.of("v1")))));
    }

    private static Map<String, Object> rule(String group) {
        return Map.of(
                "apiGroups", List.of(group),
                "apiVersions", List.of("*"),
                "operations", List.of("CREATE", "UPDATE"),
                "resources", List.of("*"));
    }

    @Test
    @Order(1)
    void whenWeServe_thenOurRootIsInTheConfigurationAndItFailsClosed() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            var webhook = client.get(KubeResource.VALIDATING_WEBHOOKS, "", NAME)
                    .orElseThrow()
                    .root()
                    .at("webhooks")
                    .items()
                    .getFirst();
            var bundle = webhook.at("clientConfig").at("caBundle").text();
            assertThat(new String(Base64.getDecoder().decode(bundle), StandardCharsets.US_ASCII))
                    .isEqualTo(fathomd.text("/debug/root-cert").strip() + "\n");
            assertThat(webhook.at("failurePolicy").text()).isEqualTo("Fail");
        });
        assertThat(client.get(KubeResource.SECRETS, "istio-system", "istio-ca-secret"))
                .isPresent();
    }

    @Test
    @Order(2)
    void givenBadObjects_whenApplied_thenEachIsRefusedWithItsFieldAndWhatToDo() {
        var bad = Map.ofEntries(
                Map.entry("port-name", policy("{rules: [{to: [{operation: {ports: [http]}}]}]}")),
                Map.entry("port-high", policy("{rules: [{to: [{operation: {ports: ['70000']}}]}]}")),
                Map.entry("not-port", policy("{action: DENY, rules: [{to: [{operation: {notPorts: [x]}}]}]}")),
                Map.entry("address", policy("{rules: [{from: [{source: {ipBlocks: [10.0.0.300]}}]}]}")),
                Map.entry("block", policy("{rules: [{from: [{source: {notIpBlocks: [10.0.0.0/40]}}]}]}")),
                Map.entry("no-source", policy("{rules: [{from: [{source: {}}]}]}")),
                Map.entry("no-operation", policy("{rules: [{to: [{operation: {}}]}]}")),
                Map.entry("empty-text", policy("{rules: [{from: [{source: {namespaces: ['']}}]}]}")),
                Map.entry("attribute", policy("{rules: [{when: [{key: source.name, values: [x]}]}]}")),
                Map.entry("no-values", policy("{rules: [{when: [{key: source.ip}]}]}")),
                Map.entry("when-port", policy("{rules: [{when: [{key: destination.port, values: [web]}]}]}")),
                Map.entry("no-provider", policy("{action: CUSTOM, rules: [{}]}")),
                Map.entry("host", entry("{hosts: ['bad host'], ports: [{name: a, number: 80, protocol: TCP}]}")),
                Map.entry(
                        "entry-address",
                        entry("{hosts: [a.example], addresses: [nowhere], ports: [{name: a, number: 80}]}")),
                Map.entry("wildcard", entry("{hosts: ['*.example'], resolution: DNS, ports: [{name: a, number: 80}]}")),
                Map.entry(
                        "static-name",
                        entry("{hosts: [a.example], resolution: STATIC, ports: [{name: a, number: 80}],"
                                + " endpoints: [{address: b.example}]}")),
                Map.entry(
                        "workload-port", object("networking.istio.io/v1", "WorkloadEntry", "{address: '10.0.0.1:80'}")),
                Map.entry("path-template", policy("{rules: [{to: [{operation: {paths: ['/a{*}']}}]}]}")),
                Map.entry(
                        "no-keys",
                        object(
                                "security.istio.io/v1",
                                "RequestAuthentication",
                                "{targetRefs: [{kind: Service, group: '', name: web}], jwtRules: [{issuer: a, jwks:"
                                        + " nothing}]}")),
                Map.entry(
                        "patch",
                        object(
                                "networking.istio.io/v1alpha3",
                                "EnvoyFilter",
                                "{configPatches: [{applyTo: CLUSTER, match: {context: GATEWAY},"
                                        + " patch: {operation: MERGE, value: {connect_timeout: [x]}}}]}")),
                Map.entry(
                        "key-set",
                        object(
                                "security.istio.io/v1",
                                "RequestAuthentication",
                                "{jwtRules: [{issuer: a, jwksUri: 'https://'}]}")));
        var result = kubectl.apply(bad.entrySet().stream()
                .map(each -> each.getValue().replace("NAME", each.getKey()))
                .collect(Collectors.joining("\n---\n")));
        assertThat(result.exit()).isNotZero();
        assertThat(bad.keySet())
                .allSatisfy(name -> assertThat(result.lines())
                        .as(result.output())
                        .anySatisfy(line -> assertThat(line)
                                .contains("admission webhook \"rev.validation.istio.io\" denied the request")
                                .contains("shop/" + name + ": spec.")
                                .contains("(fix: ")));
        assertThat(result.output()).doesNotContain(" created").doesNotContain(" configured");
        assertThat(fathomd.text("/metrics"))
                .contains("galley_validation_failed{group=\"security.istio.io\"")
                .contains("galley_validation_passed");
    }

    @Test
    @Order(3)
    void givenHttpInALayerFourPolicy_whenApplied_thenKubectlShowsWhatIsEnforced() {
        var result = kubectl.apply(policy("""
                {action: ALLOW, rules: [
                  {to: [{operation: {methods: [GET]}}]},
                  {from: [{source: {namespaces: [front]}}], to: [{operation: {ports: ['80']}}]}]}""").replace("NAME", "http-allow"));
        assertThat(result.exit()).as(result.output()).isZero();
        assertThat(result.lines())
                .anySatisfy(line -> assertThat(line).startsWith("Warning: ").contains("methods", "stricter"))
                .anySatisfy(line ->
                        assertThat(line).startsWith("Warning: in effect: ALLOW to port 80 from namespace front"));

        var none = kubectl.apply(policy("{action: DENY, rules: [{to: [{operation: {paths: [/admin]}}]}]}")
                .replace("NAME", "http-deny"));
        assertThat(none.exit()).as(none.output()).isZero();
        assertThat(none.lines())
                .anySatisfy(line -> assertThat(line).startsWith("Warning: ").contains("deny nothing"))
                .contains("Warning: in effect: DENY nothing");
    }

    @Test
    @Order(3)
    void givenWhatHasNoEffectOnAnyEnvoy_whenApplied_thenKubectlSaysSo() {
        var result = kubectl.apply(String.join(
                "\n---\n",
                object(
                                "networking.istio.io/v1alpha3",
                                "EnvoyFilter",
                                "{configPatches: [{applyTo: CLUSTER, match: {context: SIDECAR_OUTBOUND},"
                                        + " patch: {operation: REMOVE}}]}")
                        .replace("NAME", "sidecars"),
                object(
                                "networking.istio.io/v1",
                                "VirtualService",
                                "{hosts: [a.example], http: [{route: [{destination: {host: a}}]},"
                                        + " {match: [{uri: {prefix: /x}}], route: [{destination: {host: b}}]}]}")
                        .replace("NAME", "unreachable")));
        assertThat(result.exit()).as(result.output()).isZero();
        assertThat(result.lines())
                .anySatisfy(line -> assertThat(line).startsWith("Warning: ").contains("configPatches[0]", "sidecars"))
                .anySatisfy(line -> assertThat(line).startsWith("Warning: ").contains("http[0]", "every request"));
    }

    @Test
    @Order(4)
    void givenGoodObjects_whenApplied_thenTheyPassWithoutAWord() {
        var result = kubectl.apply(String.join(
                        "\n---\n",
                        policy("{rules: [{from: [{source: {namespaces: [front]}}]}]}"),
                        object("security.istio.io/v1", "PeerAuthentication", "{mtls: {mode: STRICT}}"),
                        entry("{hosts: [a.example], resolution: DNS, ports: [{name: a, number: 443, protocol: TLS}]}"),
                        object("networking.istio.io/v1", "WorkloadEntry", "{address: 10.0.0.9}"),
                        object("networking.istio.io/v1", "DestinationRule", "{host: a.example}"),
                        object(
                                "gateway.networking.k8s.io/v1",
                                "Gateway",
                                "{gatewayClassName: istio-waypoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}"))
                .replace("NAME", "good"));
        assertThat(result.exit()).as(result.output()).isZero();
        assertThat(result.lines())
                .hasSize(6)
                .allSatisfy(line -> assertThat(line).endsWith(" created"));
    }

    /// The ports that only a control plane of a cluster has.
    @Test
    @Order(4)
    void givenTwoThousandClientsThatStall_onThePortsForProbesAndWebhooks_thenItIsReadyAllTheSame() {
        for (var stalled : List.of(fathomd.healthPort(), fathomd.webhookPort())) {
            var answers = StalledClients.besides(
                    command -> TestCommand.of(command, Map.of()).run(), stalled, fathomd.healthPort(), "/ready");
            log.info("beside stalled clients of port {} of {}: {}", stalled, fathomd.healthPort(), answers);
        }
    }

    @Test
    @Order(5)
    void whenWeAreGone_thenTheFailurePolicyDecides_andAfterAReturnWeAreAskedAgain() {
        fathomd.close();
        var good = policy("{rules: [{from: [{source: {namespaces: [late]}}]}]}").replace("NAME", "late");
        var bad = policy("{rules: [{to: [{operation: {ports: [http]}}]}]}").replace("NAME", "late-bad");
        var refused = kubectl.apply(good);
        assertThat(refused.output()).contains("failed calling webhook");
        assertThat(refused.exit()).isNotZero();

        var patch = "[{\"op\": \"replace\", \"path\": \"/webhooks/0/failurePolicy\", \"value\": \"Ignore\"}]";
        assertThat(kubectl.run("patch", "validatingwebhookconfiguration", NAME, "--type=json", "-p", patch)
                        .exit())
                .isZero();
        await().atMost(PATIENCE).until(() -> kubectl.apply(good).exit() == 0);

        fathomd = begin();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(kubectl.apply(bad).output()).contains("denied the request"));
        await().atMost(PATIENCE)
                .until(() -> kubectl.run(
                                "get",
                                "validatingwebhookconfiguration",
                                NAME,
                                "-o",
                                "jsonpath={.webhooks[0].failurePolicy}")
                        .output()
                        .equals("Fail"));
    }

    private static String policy(String spec) {
        return object("security.istio.io/v1", "AuthorizationPolicy", spec);
    }

    private static String entry(String spec) {
        return object("networking.istio.io/v1", "ServiceEntry", spec);
    }

    private static String object(String apiVersion, String kind, String spec) {
        return "{apiVersion: %s, kind: %s, metadata: {name: NAME, namespace: shop}, spec: %s}"
                .formatted(apiVersion, kind, spec);
    }
}
