// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fathom.tools.query.TextTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/// Tables with istioctl's columns where it has them, from the JSON of the debug pages. Pure.
final class MeshTables {
    private static final String NONE = "None";
    /// The fields of a status that have conditions for each of several things.
    private static final List<String> PARTS = List.of("listeners", "parents", "ancestors");

    private MeshTables() {}

    static TextTable workloads(JsonNode workloads, JsonNode services) {
        var table = new TextTable("NAMESPACE", "NAME", "ADDRESS", "NODE", "WAYPOINT", "PROTOCOL", "STATUS");
        for (var workload : workloads) {
            table.row(
                    text(workload, "namespace"),
                    text(workload, "name"),
                    joined(workload.path("addresses"), text(workload, "hostname")),
                    text(workload, "node"),
                    waypoint(workload.path("waypoint"), services),
                    text(workload, "tunnelProtocol", "TCP"),
                    text(workload, "status", "HEALTHY"));
        }
        return table;
    }

    static TextTable services(JsonNode services, JsonNode mesh) {
        var healthy = new HashMap<String, Integer>();
        var all = new HashMap<String, Integer>();
        for (var workload : mesh.path("workloads")) {
            workload.path("services").fieldNames().forEachRemaining(service -> {
                all.merge(service, 1, Integer::sum);
                healthy.merge(service, workload.has("status") ? 0 : 1, Integer::sum);
            });
        }
        var table = new TextTable("NAMESPACE", "SERVICE NAME", "HOSTNAME", "SERVICE VIP", "WAYPOINT", "ENDPOINTS");
        for (var service : services) {
            var key = text(service, "namespace") + "/" + text(service, "hostname");
            table.row(
                    text(service, "namespace"),
                    text(service, "name"),
                    text(service, "hostname"),
                    vips(service.path("addresses")),
                    waypoint(service.path("waypoint"), mesh.path("services")),
                    healthy.getOrDefault(key, 0) + "/" + all.getOrDefault(key, 0));
        }
        return table;
    }

    static TextTable policies(JsonNode policies) {
        var table = new TextTable("NAMESPACE", "POLICY NAME", "ACTION", "SCOPE");
        for (var policy : policies) {
            table.row(
                    text(policy, "namespace"),
                    text(policy, "name"),
                    text(policy, "action", "ALLOW") + (policy.path("dryRun").asBoolean() ? " (dry run)" : ""),
                    text(policy, "scope", "GLOBAL"));
        }
        return table;
    }

    static TextTable problems(JsonNode problems) {
        var table = new TextTable("SEVERITY", "WHERE", "OBJECT", "FIELD", "PROBLEM", "FIX");
        for (var problem : problems) {
            var line = problem.path("line").asInt();
            table.row(
                    text(problem, "severity"),
                    text(problem, "file") + (line > 0 ? ":" + line : ""),
                    text(problem, "object"),
                    text(problem, "field"),
                    text(problem, "message"),
                    text(problem, "fix"));
        }
        return table;
    }

    /// Whether something that was written is not in force.
    static boolean hasErrors(JsonNode problems) {
        for (var problem : problems) {
            if (text(problem, "severity").equals("ERROR")) {
                return true;
            }
        }
        return false;
    }

    static TextTable status(JsonNode objects) {
        var table = new TextTable("OBJECT", "FOR", "CONDITION", "STATUS", "REASON", "MESSAGE");
        objects.properties().forEach(object -> {
            conditions(table, object.getKey(), "", object.getValue());
            for (var list : PARTS) {
                for (var part : object.getValue().path(list)) {
                    conditions(table, object.getKey(), text(part, "name"), part);
                }
            }
            for (var address : object.getValue().path("addresses")) {
                table.row(object.getKey(), "", "address", text(address, "value"), "", text(address, "host"));
            }
        });
        return table;
    }

    private static void conditions(TextTable table, String object, String part, JsonNode status) {
        for (var condition : status.path("conditions")) {
            table.row(
                    object,
                    part,
                    text(condition, "type"),
                    text(condition, "status"),
                    text(condition, "reason"),
                    text(condition, "message"));
        }
    }

    /// The same JSON with only what is in the namespace; all of it when the name is empty.
    static JsonNode inNamespace(DebugListing kind, JsonNode nodes, String namespace) {
        if (namespace.isEmpty()) {
            return nodes;
        }
        if (kind == DebugListing.STATUS) {
            var kept = JsonNodeFactory.instance.objectNode();
            nodes.properties().stream()
                    .filter(object -> namespaceOfKey(object.getKey()).equals(namespace))
                    .forEach(object -> kept.set(object.getKey(), object.getValue()));
            return kept;
        }
        var kept = JsonNodeFactory.instance.arrayNode();
        for (var node : nodes) {
            var object = text(node, "object");
            var own = kind == DebugListing.PROBLEMS ? namespaceOfKey(object) : text(node, "namespace");
            // what a file holds that cannot be made out may belong there
            if (own.equals(namespace) || (kind == DebugListing.PROBLEMS && object.isEmpty())) {
                kept.add(node);
            }
        }
        return kept;
    }

    private static String namespaceOfKey(String key) {
        var parts = key.split("/", -1);
        return parts.length == 3 ? parts[1] : "";
    }

    /// The name of the waypoint's service, as istioctl shows it; the address when no service has it.
    private static String waypoint(JsonNode waypoint, JsonNode services) {
        if (waypoint.isMissingNode()) {
            return NONE;
        }
        var host = waypoint.path("hostname");
        var address = waypoint.path("address");
        for (var service : services) {
            var byHost = !host.isMissingNode()
                    && text(service, "namespace").equals(text(host, "namespace"))
                    && text(service, "hostname").equals(text(host, "hostname"));
            var byAddress = !address.isMissingNode() && owns(service, address);
            if (byHost || byAddress) {
                return text(service, "name");
            }
        }
        return host.isMissingNode() ? text(address, "address") : text(host, "hostname");
    }

    private static boolean owns(JsonNode service, JsonNode address) {
        for (var own : service.path("addresses")) {
            if (own.equals(address)) {
                return true;
            }
        }
        return false;
    }

    private static String vips(JsonNode addresses) {
        List<String> vips = new ArrayList<>();
        for (var address : addresses) {
            var length = address.path("length").asInt();
            vips.add(text(address, "address") + (length > 0 ? "/" + length : ""));
        }
        return String.join(",", vips);
    }

    private static String joined(JsonNode texts, String otherwise) {
        List<String> all = new ArrayList<>();
        texts.forEach(text -> all.add(text.asText()));
        return all.isEmpty() ? otherwise : String.join(",", all);
    }

    private static String text(JsonNode node, String field) {
        return text(node, field, "");
    }

    private static String text(JsonNode node, String field, String otherwise) {
        return node.path(field).asText(otherwise);
    }
}
