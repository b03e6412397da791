// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;

/// Gives the parts of a resource that are sets one fixed order. Everything else stays as it is: the addresses of a
/// workload, ports, groups and weighted waypoints mean something by their order.
final class Normaliser {
    private Normaliser() {}

    static JsonNode normalise(JsonNode resource) {
        var copy = resource.deepCopy();
        sort(copy.path("workload"), "authorizationPolicies");
        sort(copy.path("service"), "addresses");
        sort(copy.path("service"), "subjectAltNames");
        for (var group : copy.path("groups")) {
            for (var rules : group.path("rules")) {
                for (var match : rules.path("matches")) {
                    match.fieldNames().forEachRemaining(field -> sort(match, field));
                }
                sort(rules, "matches");
            }
            sort(group, "rules");
        }
        return copy;
    }

    /// Sorts by text and drops repetitions, which mean nothing in a set.
    private static void sort(JsonNode owner, String field) {
        if (owner instanceof ObjectNode object && object.get(field) instanceof ArrayNode values) {
            var sorted = new TreeMap<String, JsonNode>();
            values.forEach(value -> sorted.put(canonical(value), value));
            values.removeAll();
            values.addAll(sorted.values());
        }
    }

    private static String canonical(JsonNode node) {
        if (!node.isObject()) {
            return node.toString();
        }
        var fields = new TreeMap<String, String>();
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            fields.put(field.getKey(), canonical(field.getValue()));
        }
        return fields.toString();
    }
}
