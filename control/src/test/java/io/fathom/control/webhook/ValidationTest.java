// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.Tree;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ValidationTest {
    private final Validation validation = new Validation(AmbientConfig.defaults());

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void givenAMistake_thenTheObjectIsRefusedWithItsFieldAndWhatToDo(String name, String yaml, String words) {
        var verdict = judge(yaml);
        assertThat(verdict.isAllowed()).isFalse();
        assertThat(verdict.message()).contains(words).contains("(fix: ");
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                row("unknown action", policy("{action: PERMIT}"), "spec.action: is \"PERMIT\""),
                row(
                        "port by name",
                        policy("{rules: [{to: [{operation: {ports: [http]}}]}]}"),
                        "spec.rules[0].to[0].operation.ports[0]: is \"http\", which is no port"),
                row(
                        "port out of range",
                        policy("{rules: [{}, {to: [{operation: {ports: ['65536']}}]}]}"),
                        "spec.rules[1].to[0].operation.ports[0]: is \"65536\""),
                row(
                        "no address",
                        policy("{rules: [{from: [{source: {ipBlocks: [10.0.0.300]}}]}]}"),
                        "ipBlocks[0]: is \"10.0.0.300\", which is no address"),
                row("empty source", policy("{rules: [{from: [{source: {}}]}]}"), "from[0].source: is empty"),
                row("empty list of sources", policy("{rules: [{from: []}]}"), "spec.rules[0].from: is empty"),
                row(
                        "empty value",
                        policy("{rules: [{from: [{source: {namespaces: ['']}}]}]}"),
                        "source.namespaces[0]: is empty"),
                row(
                        "unknown attribute",
                        policy("{rules: [{when: [{key: source.name, values: [x]}]}]}"),
                        "when[0].key: is \"source.name\", which is no attribute"),
                row(
                        "condition without values",
                        policy("{rules: [{when: [{key: source.ip}]}]}"),
                        "when[0].values: is missing"),
                row(
                        "selector and target",
                        policy(
                                "{selector: {matchLabels: {a: b}}, targetRefs: [{kind: Service, group: '', name: web}]}"),
                        "spec.selector: cannot be used together with targetRefs"),
                row(
                        "custom without provider",
                        policy("{action: CUSTOM, rules: [{}]}"),
                        "spec.provider.name: is missing"),
                row("deny without rules", policy("{action: DENY}"), "spec.rules: is missing"),
                row("mode", peer("{mtls: {mode: MAYBE}}"), "spec.mtls.mode: is \"MAYBE\""),
                row(
                        "port modes of a namespace",
                        peer("{portLevelMtls: {'80': {mode: STRICT}}}"),
                        "spec.portLevelMtls: needs a selector"),
                row("host", entry("{hosts: ['*'], ports: []}"), "spec.hosts[0]: is *"),
                row(
                        "address",
                        entry("{hosts: [a.example], addresses: [10.0.0.0/33], ports: []}"),
                        "spec.addresses[0]: is \"10.0.0.0/33\""),
                row(
                        "ports twice",
                        entry("{hosts: [a.example], ports: [{name: a, number: 80}, {name: b, number: 80}]}"),
                        "spec.ports[1].number: is 80"),
                row(
                        "endpoints nobody uses",
                        entry("{hosts: [a.example], endpoints: [{address: 10.0.0.1}]}"),
                        "spec.endpoints: are never used"),
                row(
                        "a static name",
                        entry("{hosts: [a.example], resolution: STATIC, endpoints: [{address: b.example}]}"),
                        "spec.endpoints[0].address: is \"b.example\""),
                row(
                        "endpoints and selector",
                        entry("{hosts: [a.example], resolution: STATIC, endpoints: [{address: 10.0.0.1}],"
                                + " workloadSelector: {labels: {a: b}}}"),
                        "cannot be used together with workloadSelector"),
                row(
                        "workload without address",
                        object("networking.istio.io/v1", "WorkloadEntry", "{labels: {a: b}}"),
                        "spec.address: is missing"),
                row(
                        "workload with half an address",
                        object("networking.istio.io/v1", "WorkloadEntry", "{address: 10.0.0.1:80}"),
                        "spec.address: is \"10.0.0.1:80\""),
                row(
                        "token rule without issuer",
                        object("security.istio.io/v1", "RequestAuthentication", "{jwtRules: [{jwksUri: 'x'}]}"),
                        "spec.jwtRules[0].issuer: is missing"),
                row(
                        "no key set",
                        object(
                                "security.istio.io/v1",
                                "RequestAuthentication",
                                "{jwtRules: [{issuer: a, jwksUri: 'file:///x'}]}"),
                        "spec.jwtRules[0].jwksUri: is \"file:///x\""),
                row(
                        "gateway",
                        object(
                                "gateway.networking.k8s.io/v1",
                                "Gateway",
                                "{gatewayClassName: c, listeners: [{name: a, protocol: HBONE, port: 70000}]}"),
                        "spec.listeners[0].port: is 70000"),
                row(
                        "path template",
                        policy("{rules: [{}, {to: [{operation: {paths: ['/a{*}']}}]}]}"),
                        "spec.rules[1]: cannot use path /a{*}"),
                row(
                        "key set",
                        object(
                                "security.istio.io/v1",
                                "RequestAuthentication",
                                "{jwtRules: [{issuer: a, jwks: nothing}]}"),
                        "spec.jwtRules[0].jwks: is no key set"),
                row(
                        "patch",
                        object(
                                "networking.istio.io/v1alpha3",
                                "EnvoyFilter",
                                "{configPatches: [{applyTo: CLUSTER, match: {context: GATEWAY},"
                                        + " patch: {operation: MERGE, value: {connect_timeout: [x]}}}]}"),
                        "spec.configPatches[0]: has a value that is no Cluster of Envoy"),
                row("version", object("security.istio.io/v9", "AuthorizationPolicy", "{}"), "apiVersion: is"));
    }

    @Test
    void givenSeveralMistakes_thenAllOfThemAreToldAtOnce() {
        var verdict = judge(entry("""
                {hosts: ['*', good.example, 'bad host'], resolution: MAYBE,
                 ports: [{number: 80}, {name: ok, number: 81}, {name: high, number: 70000}, {name: zero, number: 0}]}"""));
        assertThat(verdict.mistakes().stream().map(Verdict.Mistake::field))
                .containsExactlyInAnyOrder(
                        "spec.hosts[0]",
                        "spec.hosts[2]",
                        "spec.resolution",
                        "spec.ports[0].name",
                        "spec.ports[2].number",
                        "spec.ports[3].number");
        assertThat(verdict.message()).startsWith("ServiceEntry shop/it has 6 mistakes:\n- ");
    }

    @Test
    void givenAllowWithHttp_thenTheWarningSaysThatItIsStricterAndWhatRemains() {
        var verdict = judge(policy("""
                {action: ALLOW, rules: [
                  {from: [{source: {namespaces: [front]}}], to: [{operation: {methods: [GET]}}]},
                  {from: [{source: {principals: [cluster.local/ns/a/sa/b]}}], to: [{operation: {ports: ['80']}}]}]}"""));
        assertThat(verdict.isAllowed()).isTrue();
        assertThat(verdict.warnings()).hasSize(2);
        assertThat(verdict.warnings().getFirst()).contains("methods").contains("stricter than written");
        assertThat(verdict.warnings().getLast())
                .isEqualTo("in effect: ALLOW to port 80 from principal cluster.local/ns/a/sa/b");
    }

    @Test
    void givenAllowWithHttpOnly_thenTheWarningSaysThatNothingIsAllowed() {
        assertThat(judge(policy("{rules: [{to: [{operation: {paths: [/a]}}]}]}"))
                        .warnings())
                .last()
                .asString()
                .startsWith("in effect: ALLOW nothing");
    }

    @Test
    void givenDenyWithHttp_thenTheWarningTellsTheWiderRule() {
        var verdict = judge(policy("""
                {action: DENY, rules: [{from: [{source: {namespaces: [front], requestPrincipals: ['*']}}]}]}"""));
        assertThat(verdict.warnings().getFirst()).contains("requestPrincipals").contains("deny more than written");
        assertThat(verdict.warnings().getLast()).isEqualTo("in effect: DENY from namespace front");
    }

    @Test
    void givenDenyWithHttpOnly_thenTheWarningSaysThatItHasNoEffect() {
        var verdict = judge(policy("{action: DENY, rules: [{to: [{operation: {paths: [/admin]}}]}]}"));
        assertThat(verdict.warnings().getFirst()).contains("paths").contains("deny nothing");
        assertThat(verdict.warnings().getLast()).isEqualTo("in effect: DENY nothing");
    }

    @Test
    void givenAWaypointPolicyWithHttp_thenNothingIsSaid() {
        var verdict = judge(policy("""
                {targetRefs: [{kind: Gateway, group: gateway.networking.k8s.io, name: w}],
                 rules: [{to: [{operation: {paths: [/a]}}]}]}"""));
        assertThat(verdict.isAllowed()).isTrue();
        assertThat(verdict.warnings()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("warned")
    void givenSomethingThatDoesNotWork_thenAWarningSaysSo(String name, String yaml, String words) {
        var verdict = judge(yaml);
        assertThat(verdict.isAllowed()).as(verdict.message()).isTrue();
        assertThat(verdict.warnings()).anySatisfy(warning -> assertThat(warning).contains(words));
    }

    static Stream<Arguments> warned() {
        return Stream.of(
                row("audit", policy("{action: AUDIT}"), "no action AUDIT"),
                row("custom", policy("{action: CUSTOM, provider: {name: p}, rules: [{}]}"), "no action CUSTOM"),
                row(
                        "scheme",
                        policy("{rules: [{from: [{source: {principals: ['spiffe://cluster.local/ns/a/sa/b']}}]}]}"),
                        "write cluster.local/ns/a/sa/b"),
                row(
                        "tokens at the node",
                        object("security.istio.io/v1", "RequestAuthentication", "{jwtRules: [{issuer: a}]}"),
                        "without targetRefs this is not enforced"),
                row(
                        "trial of somebody else's decision",
                        policy("{action: CUSTOM, provider: {name: p}, rules: [{}]}")
                                .replace("name: it", "name: it, annotations: {istio.io/dry-run: 'true'}"),
                        "providers are not asked for a dry run"),
                row(
                        "tokens that come too late",
                        policy("{action: CUSTOM, provider: {name: p}, targetRefs: [{kind: Service, group: '', name:"
                                + " w}], rules: [{when: [{key: 'request.auth.principal', values: [x]}]}]}"),
                        "spec.rules[0]: is about tokens"),
                row(
                        "a rule that nobody comes to",
                        object(
                                "networking.istio.io/v1",
                                "VirtualService",
                                "{hosts: [a.example], http: [{route: [{destination: {host: a}}]},"
                                        + " {match: [{uri: {prefix: /x}}], route: [{destination: {host: b}}]}]}"),
                        "spec.http[0]: matches every request"),
                row(
                        "labels that nobody sees",
                        object(
                                "networking.istio.io/v1",
                                "VirtualService",
                                "{hosts: [a.example], http: [{match: [{sourceLabels: {a: b}}],"
                                        + " route: [{destination: {host: b}}]}]}"),
                        "spec.http[0]: matches by sourceLabels"),
                row(
                        "a metric that nobody keeps",
                        object(
                                "telemetry.istio.io/v1",
                                "Telemetry",
                                "{metrics: [{overrides: [{match: {customMetric: x}, tagOverrides: {a: {value:"
                                        + " b}}}]}]}"),
                        "spec.metrics[0]: is about the metric x"),
                row(
                        "sidecars",
                        object(
                                "networking.istio.io/v1alpha3",
                                "EnvoyFilter",
                                "{configPatches: [{applyTo: CLUSTER, match: {context: SIDECAR_OUTBOUND},"
                                        + " patch: {operation: REMOVE}}]}"),
                        "spec.configPatches[0]: is for sidecars"),
                row(
                        "nothing to reach",
                        entry("{hosts: [a.example], resolution: STATIC, ports: []}"),
                        "nothing can be reached"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("passed")
    void givenNothingWrong_thenItPassesWithoutAWord(String name, String yaml) {
        var verdict = judge(yaml);
        assertThat(verdict.isAllowed()).as(verdict.message()).isTrue();
        assertThat(verdict.warnings()).isEmpty();
    }

    static Stream<Arguments> passed() {
        return Stream.of(
                row("allow nothing", policy("{}")),
                row("deny all", policy("{action: DENY, rules: [{}]}")),
                row(
                        "layer 4",
                        policy(
                                "{rules: [{from: [{source: {ipBlocks: [10.0.0.0/8]}}], to: [{operation: {ports: ['80']}}],"
                                        + " when: [{key: source.namespace, notValues: [x]}]}]}")),
                row("strict", peer("{mtls: {mode: STRICT}}")),
                row(
                        "strict port",
                        peer("{selector: {matchLabels: {a: b}}, portLevelMtls: {'80': {mode: PERMISSIVE}}}")),
                row(
                        "wildcard entry",
                        entry("{hosts: ['*.example.com'], resolution: DYNAMIC_DNS, ports: [{name: a, number: 443,"
                                + " protocol: TLS}]}")),
                row("another revision", policy("{}").replace("name: it", "name: it, labels: {istio.io/rev: old}")),
                row("a kind of somebody else", object("example.com/v1", "Widget", "{action: PERMIT}")),
                row("a kind that we do not read", object("networking.istio.io/v1", "DestinationRule", "{host: x}")),
                row("a name to come", policy("{}").replace("name: it", "generateName: it-")));
    }

    private Verdict judge(String yaml) {
        return validation.judge(tree(yaml));
    }

    private static Tree tree(String yaml) {
        return ((Document.Parsed)
                        Documents.ofYaml("test.yaml", yaml, Limits.DEFAULT).getFirst())
                .root();
    }

    private static String policy(String spec) {
        return object("security.istio.io/v1", "AuthorizationPolicy", spec);
    }

    private static String peer(String spec) {
        return object("security.istio.io/v1", "PeerAuthentication", spec);
    }

    private static String entry(String spec) {
        return object("networking.istio.io/v1", "ServiceEntry", spec);
    }

    private static String object(String apiVersion, String kind, String spec) {
        return "{apiVersion: %s, kind: %s, metadata: {name: it, namespace: shop}, spec: %s}"
                .formatted(apiVersion, kind, spec);
    }

    private static Arguments row(Object... values) {
        return Arguments.of(values);
    }
}
