// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.damage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/// Random objects without mistakes, as maps and lists that can be changed.
final class RandomPolicies {
    static final String ROOT = "istio-system";

    private static final List<String> PRINCIPALS =
            List.of("cluster.local/ns/a/sa/x", "cluster.local/ns/b/*", "*/sa/y", "*");
    private static final List<String> NAMESPACES = List.of("a", "b*", "c");
    private static final List<String> ACCOUNTS = List.of("x", "b/y");
    private static final List<String> BLOCKS = List.of("10.0.0.0/8", "10.1.0.1", "192.168.0.0/16");
    private static final List<String> PORTS = List.of("80", "8080");
    private static final List<String> TOKENS = List.of("A/s", "B/*", "*");

    private final Dice dice;

    RandomPolicies(Dice dice) {
        this.dice = dice;
    }

    /// Several policies of one mesh.
    List<Map<String, Object>> mesh() {
        var objects = new ArrayList<Map<String, Object>>();
        for (int i = 0; i <= dice.below(4); i++) {
            objects.add(authorization("authz-" + i));
        }
        for (int i = dice.below(4); i > 0; i--) {
            objects.add(peer("peer-" + i));
        }
        for (int i = dice.below(3); i > 0; i--) {
            objects.add(authentication("tokens-" + i));
        }
        return objects;
    }

    private Map<String, Object> authorization(String name) {
        var namespace = dice.pick("a", "a", "a", "b", ROOT, "infra");
        var spec = new LinkedHashMap<String, Object>();
        var action = dice.pick("ALLOW", "ALLOW", "DENY", "DENY", "CUSTOM", "AUDIT");
        var written = !action.equals("ALLOW") || dice.chance(50);
        if (written && dice.chance(50)) {
            spec.put("action", action);
        }
        reach(spec, namespace);
        if (action.equals("CUSTOM")) {
            spec.put("provider", map("name", dice.pick("asks", "asks", "unknown")));
        }
        if (!action.equals("ALLOW") || dice.chance(90)) {
            var rules = new ArrayList<Object>();
            for (int i = 0; i <= dice.below(2); i++) {
                rules.add(rule());
            }
            spec.put("rules", rules);
        }
        if (written) {
            spec.putIfAbsent("action", action);
        }
        return object("AuthorizationPolicy", namespace, name, dice.chance(5) ? "true" : "false", spec);
    }

    private void reach(Map<String, Object> spec, String namespace) {
        switch (dice.below(5)) {
            case 0, 1 -> spec.put("selector", map("matchLabels", map("app", dice.pick("web", "db"))));
            case 2 -> spec.put("targetRefs", new ArrayList<>(List.of((Object) target(namespace))));
            default -> {}
        }
    }

    private Map<String, Object> target(String namespace) {
        var target = map("kind", "Service");
        switch (namespace) {
            case ROOT -> {
                target.put("kind", "GatewayClass");
                target.put("group", "gateway.networking.k8s.io");
                target.put("name", "istio-waypoint");
            }
            case "infra" -> {
                target.put("kind", "Gateway");
                target.put("group", "gateway.networking.k8s.io");
                target.put("name", "waypoint");
            }
            default -> {
                target.put("group", "");
                target.put("name", "app");
            }
        }
        return target;
    }

    private Map<String, Object> rule() {
        var rule = new LinkedHashMap<String, Object>();
        if (dice.chance(60)) {
            rule.put("from", entries("source", this::source));
        }
        if (dice.chance(50)) {
            rule.put("to", entries("operation", this::operation));
        }
        if (dice.chance(35)) {
            var when = new ArrayList<Object>();
            for (int i = 0; i <= dice.below(2); i++) {
                when.add(condition());
            }
            rule.put("when", when);
        }
        return rule;
    }

    private List<Object> entries(String key, Supplier<Map<String, Object>> entry) {
        var entries = new ArrayList<Object>();
        for (int i = 0; i <= dice.below(2); i++) {
            entries.add(map(key, entry.get()));
        }
        return entries;
    }

    private Map<String, Object> source() {
        var source = new LinkedHashMap<String, Object>();
        if (dice.chance(15)) {
            put(source, "erviceAccounts", "s", ACCOUNTS);
            return source;
        }
        for (int i = 0; i <= dice.below(2); i++) {
            switch (dice.below(10)) {
                case 0, 1, 2, 3 -> put(source, "rincipals", "p", PRINCIPALS);
                case 4, 5 -> put(source, "amespaces", "n", NAMESPACES);
                case 6, 7 -> put(source, "pBlocks", "i", BLOCKS);
                case 8 -> put(source, "equestPrincipals", "r", TOKENS);
                default -> put(source, "emoteIpBlocks", "r", BLOCKS);
            }
        }
        return source;
    }

    private Map<String, Object> operation() {
        var operation = new LinkedHashMap<String, Object>();
        for (int i = 0; i <= dice.below(2); i++) {
            switch (dice.below(6)) {
                case 0, 1, 2 -> put(operation, "orts", "p", PORTS);
                case 3 -> put(operation, "ethods", "m", List.of("GET", "POST"));
                case 4 -> put(operation, "aths", "p", List.of("/x", "/y*"));
                default -> put(operation, "osts", "h", List.of("app.a", "*.b"));
            }
        }
        return operation;
    }

    /// Under the name itself, or negated.
    private void put(Map<String, Object> map, String rest, String first, List<String> values) {
        var key = dice.chance(30) ? "not" + first.toUpperCase(Locale.ROOT) + rest : first + rest;
        map.put(key, dice.some(values));
    }

    private Map<String, Object> condition() {
        var key = dice.pick(
                "source.ip",
                "source.namespace",
                "source.principal",
                "destination.port",
                "request.headers[x]",
                "request.auth.principal",
                "remote.ip");
        var values = switch (key) {
            case "source.ip", "remote.ip" -> BLOCKS;
            case "source.namespace" -> NAMESPACES;
            case "source.principal" -> PRINCIPALS;
            case "destination.port" -> PORTS;
            case "request.auth.principal" -> TOKENS;
            default -> List.of("1", "2*");
        };
        var condition = map("key", key);
        condition.put(dice.chance(30) ? "notValues" : "values", dice.some(values));
        return condition;
    }

    private Map<String, Object> peer(String name) {
        var namespace = dice.pick("a", "a", "a", "b", ROOT);
        var spec = new LinkedHashMap<String, Object>();
        var selects = dice.chance(60);
        if (selects) {
            spec.put("selector", map("matchLabels", map("app", dice.pick("web", "db"))));
        }
        if (dice.chance(90)) {
            spec.put("mtls", map("mode", mode()));
        }
        if (selects && dice.chance(50)) {
            var ports = new LinkedHashMap<String, Object>();
            dice.some(PORTS).forEach(port -> ports.put((String) port, map("mode", mode())));
            spec.put("portLevelMtls", ports);
        }
        return object("PeerAuthentication", namespace, name, "", spec);
    }

    private String mode() {
        return dice.pick("STRICT", "PERMISSIVE", "DISABLE", "UNSET");
    }

    private Map<String, Object> authentication(String name) {
        var namespace = dice.pick("a", "a", "b", ROOT, "infra");
        var spec = new LinkedHashMap<String, Object>();
        reach(spec, namespace);
        var rules = new ArrayList<Object>();
        for (int i = 0; i <= dice.below(2); i++) {
            var issuer = dice.pick("A", "B");
            var rule = map("issuer", issuer);
            rule.put("jwks", "{\"keys\": [{\"kty\": \"oct\", \"kid\": \"" + issuer + "\", \"k\": \"QQ\"}]}");
            if (dice.chance(30)) {
                rule.put("fromHeaders", new ArrayList<>(List.of((Object) map("name", "x-token"))));
            }
            rules.add(rule);
        }
        spec.put("jwtRules", rules);
        return object("RequestAuthentication", namespace, name, "", spec);
    }

    private static Map<String, Object> object(
            String kind, String namespace, String name, String dryRun, Map<String, Object> spec) {
        var object = map("apiVersion", "security.istio.io/v1");
        object.put("kind", kind);
        var metadata = map("name", name);
        metadata.put("namespace", namespace);
        if (dryRun.equals("true")) {
            metadata.put("annotations", map("istio.io/dry-run", dryRun));
        }
        object.put("metadata", metadata);
        object.put("spec", spec);
        return object;
    }

    private static Map<String, Object> map(String key, Object value) {
        var map = new LinkedHashMap<String, Object>();
        map.put(key, value);
        return map;
    }
}
