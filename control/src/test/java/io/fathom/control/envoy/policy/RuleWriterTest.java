// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TextFormat;
import io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Rules in Envoy's words, as text of the messages without what surrounds it.
class RuleWriterTest {
    private static final String POLICY = """
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: p, namespace: shop},
              spec: {SPEC}}
            """;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            to: [{operation: {hosts: ["*.Example.com"]}}]         | name: ":authority" string_match { suffix: ".Example.com" ignore_case: true }
            to: [{operation: {hosts: ["*"]}}]                     | name: ":authority" present_match: true
            to: [{operation: {methods: [GET]}}]                   | name: ":method" string_match { exact: "GET" }
            to: [{operation: {paths: ["/a*"]}}]                   | url_path { path { prefix: "/a" } }
            to: [{operation: {ports: ["8080"]}}]                  | destination_port: 8080
            to: [{operation: {notPorts: ["1"]}}]                  | not_rule { or_rules { rules { destination_port: 1 } } }
            when: [{key: destination.ip, values: [10.0.0.0/8]}]   | destination_ip { address_prefix: "10.0.0.0" prefix_len { value: 8 } }
            when: [{key: destination.port, values: ["53"]}]       | destination_port: 53
            when: [{key: connection.sni, values: ["*.x"]}]        | requested_server_name { suffix: ".x" }
            when: [{key: "experimental.envoy.filters.http.x[k]", values: ["[v]"]}] | metadata_matcher { filter: "envoy.filters.http.x" path { key: "k" } value { list_match { one_of { string_match { exact: "v" } } } } }
            from: [{source: {principals: ["*/sa/web"]}}]          | string_match { safe_regex { regex: "spiffe://.*/sa/web" } }
            from: [{source: {principals: [other/ns/a/sa/b]}}]     | string_match { exact: "spiffe://other/ns/a/sa/b" }
            from: [{source: {principals: ["cluster.local/ns/*"]}}] | string_match { prefix: "spiffe://cluster.local/ns/" }
            from: [{source: {namespaces: ["a*"]}}]                | regex: ".*/ns/a[^/]*/.*"
            from: [{source: {trustDomains: ["*.b"]}}]             | regex: "spiffe://[^/]*\\\\.b/.*"
            from: [{source: {ipBlocks: [10.0.0.1]}}]              | source_ip { address_prefix: "10.0.0.1" prefix_len { value: 32 } }
            from: [{source: {remoteIpBlocks: ["::/0"]}}]          | remote_ip { address_prefix: "::" prefix_len { } }
            from: [{source: {notIpBlocks: [10.0.0.1]}}]           | not_id { or_ids { ids { source_ip
            when: [{key: request.auth.presenter, values: [x]}]    | path { key: "payload" } path { key: "azp" }
            when: [{key: "request.headers[X-A]", values: ["*"]}]  | name: "X-A" present_match: true
            from: [{source: {requestPrincipals: ["https://i*"]}}] | path { key: "iss" } value { string_match { prefix: "https://i" } }
            from: [{source: {requestPrincipals: ["*/s"]}}]        | path { key: "sub" } value { string_match { exact: "s" } }
            """)
    void givenAnAttribute_thenItIsCompared(String clause, String want) throws Exception {
        assertThat(text(clause)).contains(want);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ALLOW | to: [{operation: {ports: [x]}}]                          | false
            ALLOW | to: [{operation: {ports: [x, "1"]}}]                     | false
            ALLOW | to: [{operation: {notPorts: [x, "1"]}}]                  | false
            ALLOW | from: [{source: {ipBlocks: [x]}}]                        | false
            ALLOW | when: [{key: something.new, values: [x]}]                | false
            DENY  | to: [{operation: {ports: [x]}}]                          | true
            DENY  | to: [{operation: {notPorts: [x, "1"]}}]                  | true
            DENY  | when: [{key: something.new, notValues: [x]}]             | true
            """)
    void givenAValueThatCannotBeRead_thenRulesNeverAllowMoreNorRefuseLess(String action, String clause, boolean kept)
            throws Exception {
        var rules = rbac("action: " + action + ", rules: [{" + clause + "}]").getRules();

        assertThat(rules.getPoliciesMap().values())
                .singleElement()
                .asString()
                .contains(kept ? "any: true" : "not_rule {\n    any: true");
        if (kept) {
            assertThat(rules.toString()).doesNotContain("not_rule");
        }
    }

    @Test
    void givenNoRules_thenOneThatNeverHolds() throws Exception {
        assertThat(rbac("action: ALLOW").getRules().getPoliciesOrThrow("ns[shop]-policy[p]-rule[0]"))
                .hasToString("""
                        permissions {
                          not_rule {
                            any: true
                          }
                        }
                        principals {
                          not_id {
                            any: true
                          }
                        }
                        """);
    }

    @Test
    void givenAnIngressGateway_thenIdentitiesAreThoseOfCertificates() throws Exception {
        var world = PolicyWorld.of(POLICY.replace(
                "SPEC",
                "selector: {}, rules: [{from: [{source: {principals: [a/ns/b/sa/c], ipBlocks: [10.0.0.1]}}]}]"));

        assertThat(flat(only(world.ingress("shop")).toString()))
                .contains("authenticated { principal_name { exact: \"spiffe://a/ns/b/sa/c\" } }")
                .contains("direct_remote_ip { address_prefix: \"10.0.0.1\"");
    }

    @Test
    void givenSeveralClauses_thenEachIsAnAlternativeAndConditionsAreInAll() throws Exception {
        var policy = rbac("rules: [{from: [{source: {namespaces: [a]}}, {source: {namespaces: [b]}}],"
                        + " to: [{operation: {ports: ['1']}}, {operation: {ports: ['2']}}],"
                        + " when: [{key: source.ip, values: [1.1.1.1]}, {key: connection.sni, values: [x]}]}]")
                .getRules()
                .getPoliciesOrThrow("ns[shop]-policy[p]-rule[0]");

        assertThat(policy.getPermissionsList())
                .hasSize(2)
                .allMatch(each -> flat(each.toString()).contains("requested_server_name"));
        assertThat(policy.getPrincipalsList())
                .hasSize(2)
                .allMatch(each -> flat(each.toString()).contains("source_ip"));
    }

    private static String text(String clause) throws InvalidProtocolBufferException {
        var rbac = rbac("rules: [{" + clause + "}]");
        return flat(TextFormat.printer().printToString(rbac));
    }

    private static RBAC rbac(String spec) throws InvalidProtocolBufferException {
        var world =
                PolicyWorld.of(POLICY.replace("SPEC", "targetRefs: [{kind: Service, group: '', name: app}], " + spec));
        return only(world.waypoint("shop"));
    }

    private static RBAC only(HttpPolicy policy) throws InvalidProtocolBufferException {
        assertThat(policy.filters()).hasSize(1);
        return List.copyOf(policy.filters()).getFirst().getTypedConfig().unpack(RBAC.class);
    }

    private static String flat(String message) {
        return message.replaceAll("\\s+", " ");
    }
}
