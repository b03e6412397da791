// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.peers.KubeKind;
import java.util.List;

/// Policies with every field, layer 7 included. Only the first may be one that ztunnel cannot have (audit, custom, dry
/// run): upstream forgets the condition of all but one of those.
final class AuthorizationPolicies implements Family {
    private static final List<String> STRINGS = List.of("exact", "pre*", "*fix", "*");
    private static final List<String> BLOCKS = List.of("10.0.0.0/8", "192.0.2.7", "fd00::/16", "10.1.2.3/24");
    private static final List<String> PORTS = List.of("80", "8080", "443");
    private static final List<String> HTTP_KEYS = List.of("request.headers[x]", "request.auth.claims[iss]");
    private static final List<String> TCP_KEYS =
            List.of("source.ip", "source.namespace", "source.principal", "destination.ip", "destination.port");

    private final Dice dice;

    AuthorizationPolicies(Dice dice) {
        this.dice = dice;
    }

    @Override
    public ObjectNode create(int number) {
        var namespace = dice.chance(80) ? dice.pick(Places.NAMESPACES) : Places.ROOT;
        var policy = Draft.of(KubeKind.AUTHORIZATION_POLICY, namespace, "policy-" + number, "a");
        change(policy);
        return policy;
    }

    @Override
    public void change(ObjectNode policy) {
        var spec = policy.putObject("spec");
        var first = policy.at("/metadata/name").asText().equals("policy-0");
        spec.put("action", first ? dice.pick("ALLOW", "DENY", "AUDIT") : dice.pick("ALLOW", "DENY"));
        Draft.maybe(dice, first ? 30 : 0, Draft.annotations(policy), "istio.io/dry-run", "true");
        if (dice.chance(50)) {
            spec.putObject("selector").putObject("matchLabels").put("app", dice.pick(Draft.APPS));
        } else if (dice.chance(20) && !Draft.namespace(policy).equals(Places.ROOT)) {
            target(spec);
        }
        // a DENY without rules means something else to us: docs/differences.md
        if (dice.chance(90) || spec.path("action").asText().equals("DENY")) {
            var rules = spec.putArray("rules");
            for (var i = 0; i < dice.between(1, 3); i++) {
                rule(rules.addObject());
            }
        }
    }

    private void target(ObjectNode spec) {
        var gateway = dice.chance(50);
        spec.putArray("targetRefs")
                .addObject()
                .put("group", gateway ? "gateway.networking.k8s.io" : "")
                .put("kind", gateway ? "Gateway" : "Service")
                .put("name", gateway ? dice.pick("wp-1", "wp-2", "nowhere") : "svc-" + dice.between(0, 9));
    }

    private void rule(ObjectNode rule) {
        if (dice.chance(60)) {
            var from = rule.putArray("from");
            for (var i = 0; i < dice.between(1, 2); i++) {
                source(from.addObject().putObject("source"));
            }
        }
        if (dice.chance(50)) {
            var to = rule.putArray("to");
            for (var i = 0; i < dice.between(1, 2); i++) {
                operation(to.addObject().putObject("operation"));
            }
        }
        if (dice.chance(40)) {
            var when = rule.putArray("when");
            for (var i = 0; i < dice.between(1, 2); i++) {
                condition(when.addObject());
            }
        }
    }

    private void source(ObjectNode source) {
        if (dice.chance(25)) {
            Draft.strings(source, dice.pick("serviceAccounts", "notServiceAccounts"), List.of("other/one", "two"));
            return;
        }
        if (dice.chance(15)) {
            Draft.strings(source, "requestPrincipals", List.of("*"));
        }
        var fields = dice.some(
                3, List.of("principals", "notPrincipals", "namespaces", "notNamespaces", "ipBlocks", "notIpBlocks"));
        fields.forEach(field -> Draft.strings(source, field, dice.some(3, field.endsWith("locks") ? BLOCKS : STRINGS)));
    }

    private void operation(ObjectNode operation) {
        if (dice.chance(30)) {
            Draft.strings(operation, dice.pick("methods", "notMethods"), List.of("GET"));
        }
        if (dice.chance(20)) {
            Draft.strings(operation, dice.pick("hosts", "paths"), List.of("/x*"));
        }
        if (operation.isEmpty() || dice.chance(70)) {
            Draft.strings(operation, dice.pick("ports", "notPorts"), dice.some(2, PORTS));
        }
    }

    private void condition(ObjectNode condition) {
        var key = dice.chance(75) ? dice.pick(TCP_KEYS) : dice.pick(HTTP_KEYS);
        condition.put("key", key);
        var values = key.endsWith(".ip") ? BLOCKS : key.endsWith(".port") ? PORTS : STRINGS;
        Draft.strings(condition, "values", dice.some(2, values));
        if (dice.chance(30)) {
            Draft.strings(condition, "notValues", dice.some(2, values));
        }
    }
}
