// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Each broken manifest gives exactly one message with file, line, field and fix, and its neighbours are served.
class BrokenManifestsTest {
    private static final String POD_SPEC = "spec: {containers: [{name: a, image: b}]}\n";

    @TempDir
    Path folder;

    /// The text, the line and field that the message names, its code, and words of the message.
    static Stream<Arguments> manifests() {
        return Stream.of(syntax(), metadata(), pods(), services(), gateways(), istio(), mesh())
                .flatMap(rows -> rows);
    }

    private static Stream<Arguments> syntax() {
        return Stream.of(
                argumentSet(
                        "a tab for indentation",
                        "apiVersion: v1\nkind: Service\nmetadata:\n\tname: a\n",
                        4,
                        "metadata",
                        "manifest-syntax",
                        "tab"),
                argumentSet(
                        "a quote that is not closed",
                        "apiVersion: v1\nkind: Service\nmetadata:\n  name: \"a\nspec: {}\n",
                        4,
                        "metadata.name",
                        "manifest-syntax",
                        "never closed"),
                argumentSet(
                        "a bracket that is not closed",
                        "apiVersion: v1\nkind: Service\nmetadata: {name: a\nspec: {}\n",
                        3,
                        "metadata",
                        "manifest-syntax",
                        "bracket"),
                argumentSet(
                        "wrong indentation",
                        "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n namespace: b\n",
                        5,
                        "",
                        "manifest-syntax",
                        "not valid YAML"),
                argumentSet(
                        "a key written twice",
                        service("  ports: []\n  type: ClusterIP\n  ports: []\n"),
                        7,
                        "spec.ports",
                        "manifest-duplicate-key",
                        "line 5"),
                argumentSet("aliases that expand without end", bomb(), 7, "a6[0]", "manifest-too-large", "aliases"),
                argumentSet(
                        "values nested too deep",
                        service("  x: " + "[".repeat(500) + "]".repeat(500) + "\n"),
                        5,
                        "spec.x[0]",
                        "manifest-too-deep",
                        "levels"),
                argumentSet(
                        "a template that was not rendered",
                        "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Values.name }}\n",
                        4,
                        "metadata.name",
                        "manifest-syntax",
                        "name of a field"),
                argumentSet("no kind", "apiVersion: v1\nname: a\n", 1, "kind", "manifest-missing-field", "missing"),
                argumentSet("a list of nothing known", "- a\n- b\n", 1, "", "manifest-wrong-type", "a list"),
                argumentSet(
                        "items that are no list",
                        "apiVersion: v1\nkind: List\nitems: {a: 1}\n",
                        3,
                        "items",
                        "manifest-wrong-type",
                        "a map, must be a list"),
                argumentSet(
                        "a version that has no such kind",
                        "apiVersion: apps/v1\nkind: Pod\nmetadata: {name: a}\n",
                        1,
                        "apiVersion",
                        "manifest-unsupported-version",
                        "apps/v1"),
                argumentSet(
                        "a version that is no longer served",
                        "apiVersion: security.istio.io/v1alpha1\nkind: PeerAuthentication\nmetadata: {name: a}\n",
                        1,
                        "apiVersion",
                        "manifest-unsupported-version",
                        "v1alpha1"));
    }

    private static Stream<Arguments> metadata() {
        return Stream.of(
                argumentSet(
                        "no name",
                        "apiVersion: v1\nkind: Service\nmetadata:\n  namespace: b\n",
                        4,
                        "metadata.name",
                        "manifest-missing-field",
                        "missing"),
                argumentSet(
                        "only a generated name",
                        "apiVersion: v1\nkind: Pod\nmetadata:\n  generateName: b-\n",
                        4,
                        "metadata.name",
                        "manifest-missing-field",
                        "missing"),
                argumentSet(
                        "a name that Kubernetes refuses",
                        "apiVersion: v1\nkind: Service\nmetadata:\n  name: My_Service\n",
                        4,
                        "metadata.name",
                        "manifest-bad-value",
                        "My_Service"),
                argumentSet(
                        "a label that is a number",
                        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels:\n    version: 1.10\n",
                        6,
                        "metadata.labels.version",
                        "manifest-wrong-type",
                        "the number 1.10"),
                argumentSet(
                        "a label that is a flag",
                        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {istio.io/global: true}\n",
                        5,
                        "metadata.labels[\"istio.io/global\"]",
                        "manifest-wrong-type",
                        "true/false"),
                argumentSet(
                        "a label with a comma",
                        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {x: \"a,b\"}\n",
                        5,
                        "metadata.labels.x",
                        "manifest-bad-value",
                        "a,b"),
                argumentSet(
                        "an annotation that is a number",
                        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations: {x: 1}\n",
                        5,
                        "metadata.annotations.x",
                        "manifest-wrong-type",
                        "the number 1"),
                argumentSet(
                        "a time that is none",
                        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  creationTimestamp: yesterday\n",
                        5,
                        "metadata.creationTimestamp",
                        "manifest-bad-value",
                        "yesterday"));
    }

    private static Stream<Arguments> pods() {
        return Stream.of(
                argumentSet(
                        "containers that are no list",
                        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: {name: a}\n",
                        5,
                        "spec.containers",
                        "manifest-wrong-type",
                        "must be a list"),
                argumentSet(
                        "a port out of range",
                        """
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: a}
                        spec:
                          containers:
                          - name: a
                            ports:
                            - containerPort: 65536
                        """,
                        8,
                        "spec.containers[0].ports[0].containerPort",
                        "manifest-out-of-range",
                        "65536"),
                argumentSet(
                        "an unknown phase",
                        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nstatus:\n  phase: running\n",
                        5,
                        "status.phase",
                        "manifest-unknown-value",
                        "Running"),
                argumentSet(
                        "a condition that is a flag",
                        """
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: a}
                        status:
                          conditions:
                          - {type: Ready, status: True}
                        """,
                        6,
                        "status.conditions[0].status",
                        "manifest-wrong-type",
                        "true/false"),
                argumentSet(
                        "a flag that is text",
                        """
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: a}
                        spec:
                          hostNetwork: "true"
                          containers: [{name: a, image: b}]
                        """,
                        5,
                        "spec.hostNetwork",
                        "manifest-wrong-type",
                        "must be true or false"));
    }

    private static Stream<Arguments> services() {
        return Stream.of(
                argumentSet(
                        "a cluster IP that is none",
                        service("  clusterIP: 10.96.0.300\n"),
                        5,
                        "spec.clusterIP",
                        "manifest-bad-value",
                        "10.96.0.300"),
                argumentSet(
                        "a block for an IP",
                        service("  clusterIPs: [10.96.0.1, \"fd00::/64\"]\n"),
                        5,
                        "spec.clusterIPs[1]",
                        "manifest-bad-value",
                        "fd00::/64"),
                argumentSet(
                        "an unknown type",
                        service("  type: clusterip\n"),
                        5,
                        "spec.type",
                        "manifest-unknown-value",
                        "clusterip"),
                argumentSet(
                        "an unknown transport",
                        service("  ports: [{port: 80, protocol: QUIC}]\n"),
                        5,
                        "spec.ports[0].protocol",
                        "manifest-unknown-value",
                        "QUIC"),
                argumentSet(
                        "a port that is text",
                        service("  ports:\n  - port: \"80\"\n"),
                        6,
                        "spec.ports[0].port",
                        "manifest-wrong-type",
                        "a whole number"),
                argumentSet(
                        "a port without number",
                        service("  ports:\n  - name: http\n"),
                        6,
                        "spec.ports[0].port",
                        "manifest-missing-field",
                        "missing"),
                argumentSet(
                        "a spec that is text",
                        "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: none\n",
                        4,
                        "spec",
                        "manifest-wrong-type",
                        "must be a map"),
                argumentSet(
                        "an unknown address type",
                        "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: a}\naddressType: ipv4\n",
                        4,
                        "addressType",
                        "manifest-unknown-value",
                        "ipv4"));
    }

    private static Stream<Arguments> gateways() {
        var head = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: a}\nspec:\n";
        return Stream.of(
                argumentSet(
                        "no class",
                        head + "  listeners: [{name: a, port: 80, protocol: HTTP}]\n",
                        5,
                        "spec.gatewayClassName",
                        "manifest-missing-field",
                        "missing"),
                argumentSet(
                        "unknown namespaces",
                        head + "  gatewayClassName: c\n  listeners:\n  - name: a\n    port: 1\n    protocol: HBONE\n"
                                + "    allowedRoutes: {namespaces: {from: Everywhere}}\n",
                        10,
                        "spec.listeners[0].allowedRoutes.namespaces.from",
                        "manifest-unknown-value",
                        "Everywhere"),
                argumentSet(
                        "an unknown operator of a selector",
                        head + "  gatewayClassName: c\n  listeners:\n  - name: a\n    port: 1\n    protocol: HBONE\n"
                                + "    allowedRoutes:\n      namespaces:\n        from: Selector\n        selector:\n"
                                + "          matchExpressions:\n          - {key: k, operator: Equals, values: [v]}\n",
                        15,
                        "spec.listeners[0].allowedRoutes.namespaces.selector.matchExpressions[0].operator",
                        "manifest-unknown-value",
                        "Equals"));
    }

    private static Stream<Arguments> istio() {
        return Stream.of(
                argumentSet(
                        "an unknown action",
                        policy("AuthorizationPolicy", "  action: PERMIT\n"),
                        5,
                        "spec.action",
                        "manifest-unknown-value",
                        "ALLOW, DENY, AUDIT, CUSTOM"),
                argumentSet(
                        "ports of a rule that are numbers",
                        policy("AuthorizationPolicy", "  rules:\n  - to:\n    - operation: {ports: [80]}\n"),
                        7,
                        "spec.rules[0].to[0].operation.ports[0]",
                        "manifest-wrong-type",
                        "the number 80"),
                argumentSet(
                        "an unknown mode",
                        policy("PeerAuthentication", "  mtls: {mode: strict}\n"),
                        5,
                        "spec.mtls.mode",
                        "manifest-unknown-value",
                        "strict"),
                argumentSet(
                        "a port by name",
                        policy("PeerAuthentication", "  portLevelMtls:\n    http: {mode: STRICT}\n"),
                        6,
                        "spec.portLevelMtls.http",
                        "manifest-bad-value",
                        "no port number"),
                argumentSet(
                        "an unknown resolution",
                        entry("  hosts: [a]\n  resolution: DNS_ROUNDROBIN\n"),
                        6,
                        "spec.resolution",
                        "manifest-unknown-value",
                        "DNS_ROUND_ROBIN"),
                argumentSet(
                        "no hosts", entry("  resolution: DNS\n"), 5, "spec.hosts", "manifest-missing-field", "missing"),
                argumentSet(
                        "a negative weight",
                        entry("  hosts: [a]\n  endpoints:\n  - {address: 1.2.3.4, weight: -1}\n"),
                        7,
                        "spec.endpoints[0].weight",
                        "manifest-out-of-range",
                        "-1"));
    }

    private static Stream<Arguments> mesh() {
        var head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: istio, namespace: istio-system}\ndata:\n";
        return Stream.of(
                argumentSet(
                        "mesh configuration with a wrong scope",
                        head + "  mesh: |\n    serviceScopeConfigs:\n    - scope: WORLD\n",
                        7,
                        "data.mesh.serviceScopeConfigs[0].scope",
                        "manifest-unknown-value",
                        "WORLD"),
                argumentSet(
                        "mesh configuration that is no YAML",
                        head + "  mesh: |\n    rootNamespace: \"istio\n",
                        6,
                        "data.mesh.rootNamespace",
                        "manifest-syntax",
                        "never closed"),
                argumentSet(
                        "no mesh configuration",
                        head + "  other: x\n",
                        5,
                        "data.mesh",
                        "manifest-missing-field",
                        "missing"));
    }

    @BeforeEach
    void neighbours() {
        FolderFixture.write(folder.resolve("a-good.yaml"), FolderFixture.namespace("before"));
        FolderFixture.write(folder.resolve("z-good.yaml"), FolderFixture.namespace("after"));
    }

    @ParameterizedTest
    @MethodSource("manifests")
    void givenBrokenManifest_thenOneMessageTellsWhereAndHow(
            String text, int line, String field, String code, String words) {
        var whole = text.contains("kind: Pod\n") && !text.contains("\nspec:") ? text + POD_SPEC : text;
        FolderFixture.write(folder.resolve("m-broken.yaml"), whole + "---\n" + FolderFixture.namespace("beside"));
        try (var it = FolderFixture.open(folder)) {
            assertThat(it.sink.names().stream().filter(name -> name.startsWith("Namespace")))
                    .containsExactly("Namespace after", "Namespace before", "Namespace beside");
            var mistakes = it.source.problems().stream()
                    .filter(problem -> !problem.problem().code().equals("policy-damaged"))
                    .toList();
            assertThat(mistakes).singleElement().satisfies(problem -> {
                assertThat(problem.file()).isEqualTo(folder + "/m-broken.yaml");
                assertThat(problem.line()).isEqualTo(line);
                assertThat(problem.field()).startsWith(field);
                assertThat(problem.problem().code()).isEqualTo(code);
                assertThat(problem.problem().message()).contains(words);
                assertThat(problem.problem().fix()).isNotBlank();
            });
        }
    }

    private static String service(String spec) {
        return "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n" + spec;
    }

    private static String policy(String kind, String spec) {
        return "apiVersion: security.istio.io/v1\nkind: " + kind + "\nmetadata: {name: a}\nspec:\n" + spec;
    }

    private static String entry(String spec) {
        return "apiVersion: networking.istio.io/v1\nkind: ServiceEntry\nmetadata: {name: a}\nspec:\n" + spec;
    }

    private static String bomb() {
        var bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (var i = 1; i < 10; i++) {
            bomb.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ", ").repeat(10)));
        }
        return bomb.toString();
    }
}
