// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.damage;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// Whether Kubernetes and the webhook of Istio would store an object. Written after their definitions and rules, not
/// after our readers.
@SuppressWarnings({"NullAway", "ReferenceEquality", "UnnecessaryLambda"}) // trees of plain maps, with one mark for null
final class Validity {
    private static final Set<String> TOP = Set.of("apiVersion", "kind", "metadata", "spec", "status");
    private static final Predicate<Object> TEXT = String.class::isInstance;
    private static final Predicate<Object> FILLED = value -> value instanceof String text && !text.isEmpty();

    private Validity() {}

    static boolean isValid(Map<String, Object> object) {
        if (!TOP.containsAll(object.keySet())) {
            return false;
        }
        var spec = object.get("spec");
        if (isAbsent(spec)) {
            return true;
        }
        if (!(spec instanceof Map<?, ?>)) {
            return false;
        }
        return switch ((String) object.get("kind")) {
            case "AuthorizationPolicy" -> authorization(map(spec));
            case "PeerAuthentication" -> peer(map(spec));
            default -> authentication(map(spec));
        };
    }

    private static boolean authorization(Map<String, Object> spec) {
        var action = Optional.ofNullable(value(spec, "action")).orElse("ALLOW");
        var needsRules = action.equals("DENY") || action.equals("CUSTOM");
        return has(spec, "selector", "targetRef", "targetRefs", "action", "rules", "provider")
                && Set.of("ALLOW", "DENY", "AUDIT", "CUSTOM").contains(action)
                && reach(spec)
                && list(spec, "rules", Validity::rule)
                && (!needsRules || (value(spec, "rules") instanceof List<?> rules && !rules.isEmpty()))
                && provider(spec, action);
    }

    private static boolean provider(Map<String, Object> spec, Object action) {
        var provider = value(spec, "provider");
        if (provider == null || !(provider instanceof Map<?, ?>)) {
            return provider == null && !action.equals("CUSTOM");
        }
        return action.equals("CUSTOM")
                && has(map(provider), "name")
                && FILLED.test(map(provider).get("name"));
    }

    private static boolean reach(Map<String, Object> spec) {
        var ways = List.of("selector", "targetRef", "targetRefs").stream()
                .filter(way -> value(spec, way) != null)
                .count();
        return ways <= 1
                && selector(value(spec, "selector"))
                && list(spec, "targetRefs", Validity::target)
                && (value(spec, "targetRef") == null || target(value(spec, "targetRef")));
    }

    private static boolean selector(Object selector) {
        if (selector == null) {
            return true;
        }
        return selector instanceof Map<?, ?>
                && has(map(selector), "matchLabels")
                && (value(map(selector), "matchLabels") == null
                        || (value(map(selector), "matchLabels") instanceof Map<?, ?> labels
                                && labels.entrySet().stream()
                                        .allMatch(label -> isAbsent(label.getValue())
                                                || (TEXT.test(label.getValue())
                                                        && !((String) label.getKey()).isEmpty()
                                                        && !(label.getKey() + (String) label.getValue())
                                                                .contains("*")))));
    }

    private static boolean target(Object target) {
        return target instanceof Map<?, ?>
                && has(map(target), "group", "kind", "name", "namespace")
                && FILLED.test(value(map(target), "kind"))
                && FILLED.test(value(map(target), "name"))
                && Set.of(
                                "/Service",
                                "networking.istio.io/ServiceEntry",
                                "gateway.networking.k8s.io/Gateway",
                                "gateway.networking.k8s.io/GatewayClass")
                        .contains(Objects.requireNonNullElse(value(map(target), "group"), "") + "/"
                                + value(map(target), "kind"));
    }

    private static boolean rule(Object rule) {
        return rule instanceof Map<?, ?>
                && has(map(rule), "from", "to", "when")
                && clause(map(rule), "from", "source", Validity::source)
                && clause(map(rule), "to", "operation", Validity::operation)
                && list(map(rule), "when", Validity::condition);
    }

    private static boolean clause(
            Map<String, Object> rule, String key, String part, Predicate<Map<String, Object>> match) {
        return list(
                        rule,
                        key,
                        entry -> entry instanceof Map<?, ?>
                                && has(map(entry), part)
                                && value(map(entry), part) instanceof Map<?, ?> inside
                                && match.test(map(inside)))
                && !(value(rule, key) instanceof List<?> list && list.isEmpty());
    }

    private static boolean source(Map<String, Object> source) {
        var accounts = isAny(source, "serviceAccounts", "notServiceAccounts");
        var others = isAny(source, "principals", "notPrincipals", "namespaces", "notNamespaces");
        return has(
                        source,
                        "principals",
                        "notPrincipals",
                        "requestPrincipals",
                        "notRequestPrincipals",
                        "namespaces",
                        "notNamespaces",
                        "serviceAccounts",
                        "notServiceAccounts",
                        "ipBlocks",
                        "notIpBlocks",
                        "remoteIpBlocks",
                        "notRemoteIpBlocks",
                        "trustDomains",
                        "notTrustDomains")
                && source.entrySet().stream().allMatch(entry -> values(entry.getValue(), kindOf(entry.getKey())))
                && says(source)
                && !(accounts && others);
    }

    private static boolean operation(Map<String, Object> operation) {
        return has(operation, "hosts", "notHosts", "ports", "notPorts", "methods", "notMethods", "paths", "notPaths")
                && operation.entrySet().stream().allMatch(entry -> values(entry.getValue(), kindOf(entry.getKey())))
                && says(operation);
    }

    private static Predicate<Object> kindOf(String key) {
        return switch (key) {
            case "ipBlocks", "notIpBlocks", "remoteIpBlocks", "notRemoteIpBlocks" -> Validity::isBlock;
            case "ports", "notPorts" -> Validity::isPort;
            default -> FILLED;
        };
    }

    private static boolean isBlock(Object value) {
        return value instanceof String text && text.matches("[0-9.]{7,15}(/[0-9]{1,2})?") && isBlock(text);
    }

    private static boolean isBlock(String text) {
        var slash = text.indexOf('/');
        var parts = (slash < 0 ? text : text.substring(0, slash)).split("\\.", -1);
        return parts.length == 4
                && List.of(parts).stream()
                        .allMatch(part -> part.matches("0|[1-9][0-9]{0,2}") && Integer.parseInt(part) < 256)
                && (slash < 0 || Integer.parseInt(text.substring(slash + 1)) <= 32);
    }

    private static boolean isPort(Object value) {
        return value instanceof String text && text.matches("[0-9]{1,9}") && Integer.parseInt(text) <= 65_535;
    }

    private static boolean condition(Object condition) {
        if (!(condition instanceof Map<?, ?>) || !has(map(condition), "key", "values", "notValues")) {
            return false;
        }
        var kind = switch (String.valueOf(value(map(condition), "key"))) {
            case "source.ip", "remote.ip", "destination.ip" -> Optional.<Predicate<Object>>of(Validity::isBlock);
            case "destination.port" -> Optional.<Predicate<Object>>of(Validity::isPort);
            case "source.namespace", "source.principal", "request.auth.principal", "source.serviceAccount" ->
                Optional.of(FILLED);
            case String key when key.matches("request\\.(headers|auth\\.claims)\\[.+]") -> Optional.of(FILLED);
            default -> Optional.<Predicate<Object>>empty();
        };
        return kind.isPresent()
                && values(map(condition).get("values"), kind.get())
                && values(map(condition).get("notValues"), kind.get())
                && isAny(map(condition), "values", "notValues");
    }

    private static boolean values(Object list, Predicate<Object> kind) {
        return isAbsent(list)
                || (list instanceof List<?> values && values.stream().allMatch(kind));
    }

    private static boolean says(Map<String, Object> match) {
        return match.values().stream().anyMatch(list -> list instanceof List<?> values && !values.isEmpty());
    }

    private static boolean isAny(Map<String, Object> map, String... keys) {
        return List.of(keys).stream().anyMatch(key -> map.get(key) instanceof List<?> list && !list.isEmpty());
    }

    private static boolean peer(Map<String, Object> spec) {
        var ports = value(spec, "portLevelMtls");
        return has(spec, "selector", "mtls", "portLevelMtls")
                && selector(value(spec, "selector"))
                && mtls(value(spec, "mtls"))
                && (ports == null
                        || (ports instanceof Map<?, ?> modes
                                && !modes.isEmpty()
                                && modes.entrySet().stream()
                                        .allMatch(mode -> isPort(mode.getKey())
                                                && !mode.getKey().equals("0")
                                                && mtls(isAbsent(mode.getValue()) ? null : mode.getValue()))
                                && value(spec, "selector") instanceof Map<?, ?> selector
                                && selector.get("matchLabels") instanceof Map<?, ?> labels
                                && !labels.isEmpty()));
    }

    private static boolean mtls(Object mtls) {
        return mtls == null
                || (mtls instanceof Map<?, ?>
                        && has(map(mtls), "mode")
                        && (value(map(mtls), "mode") == null
                                || Set.of("UNSET", "DISABLE", "PERMISSIVE", "STRICT")
                                        .contains(value(map(mtls), "mode"))));
    }

    private static boolean authentication(Map<String, Object> spec) {
        return has(spec, "selector", "targetRef", "targetRefs", "jwtRules")
                && reach(spec)
                && list(spec, "jwtRules", Validity::jwtRule);
    }

    private static boolean jwtRule(Object rule) {
        return rule instanceof Map<?, ?>
                && has(map(rule), "issuer", "jwks", "fromHeaders")
                && FILLED.test(value(map(rule), "issuer"))
                && (value(map(rule), "jwks") == null || TEXT.test(value(map(rule), "jwks")))
                && list(
                        map(rule),
                        "fromHeaders",
                        header -> header instanceof Map<?, ?>
                                && has(map(header), "name", "prefix")
                                && FILLED.test(value(map(header), "name")));
    }

    private static boolean list(Map<String, Object> map, String key, Predicate<Object> item) {
        var value = value(map, key);
        return value == null || (value instanceof List<?> list && list.stream().allMatch(item));
    }

    /// The API server drops keys without a value.
    private static Object value(Map<String, Object> map, String key) {
        var value = map.get(key);
        return isAbsent(value) ? null : value;
    }

    private static boolean isAbsent(Object value) {
        return value == null || value == RandomDamage.NOTHING;
    }

    private static boolean has(Map<String, Object> map, String... keys) {
        return Set.of(keys).containsAll((Collection<?>) map.keySet());
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
