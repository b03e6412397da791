// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.client.Answer;
import java.util.Locale;

/// An answer of the Workload API in the shape of a node proxy's `/config_dump`.
final class ZtunnelDump {
    private static final ObjectMapper JSON = new ObjectMapper();

    private ZtunnelDump() {}

    static ObjectNode of(Answer answer) {
        var dump = JSON.createObjectNode();
        var workloads = dump.putArray("workloads");
        var services = dump.putArray("services");
        answer.addresses().values().forEach(address -> {
            if (address.has("workload")) {
                workloads.add(workload(address.get("workload")));
            } else {
                services.add(service(address.get("service"), answer));
            }
        });
        var policies = dump.putArray("policies");
        answer.authorizations().values().forEach(policy -> policies.add(policy(policy)));
        dump.putArray("certificates");
        dump.putObject("workloadState");
        return dump;
    }

    private static ObjectNode workload(JsonNode from) {
        var to = JSON.createObjectNode();
        for (var name : new String[] {
            "uid",
            "name",
            "namespace",
            "workloadName",
            "canonicalName",
            "canonicalRevision",
            "node",
            "network",
            "hostname",
            "clusterId"
        }) {
            to.put(name, from.path(name).asText());
        }
        to.set("workloadIps", from.has("addresses") ? from.get("addresses") : JSON.createArrayNode());
        to.put("protocol", from.path("tunnelProtocol").asText().equals("HBONE") ? "HBONE" : "TCP");
        to.put("networkMode", from.path("networkMode").asText().equals("HOST_NETWORK") ? "HostNetwork" : "Standard");
        to.put("trustDomain", orElse(from.path("trustDomain"), "cluster.local"));
        to.put("serviceAccount", orElse(from.path("serviceAccount"), "default"));
        to.put("workloadType", orElse(from.path("workloadType"), "DEPLOYMENT").toLowerCase(Locale.ROOT));
        to.put("status", from.path("status").asText().equals("UNHEALTHY") ? "Unhealthy" : "Healthy");
        to.put("capacity", from.has("capacity") ? from.path("capacity").asInt() : 1);
        gateway(from, "waypoint", to);
        gateway(from, "networkGateway", to);
        copy(from, "locality", to);
        copy(from, "authorizationPolicies", to);
        return to;
    }

    private static ObjectNode service(JsonNode from, Answer answer) {
        var to = JSON.createObjectNode();
        for (var name : new String[] {"name", "namespace", "hostname"}) {
            to.put(name, from.path(name).asText());
        }
        var vips = to.putArray("vips");
        from.path("addresses").forEach(address -> vips.add(networkAddress(address)));
        var ports = to.putObject("ports");
        from.path("ports")
                .forEach(port -> ports.put(
                        port.path("servicePort").asText(),
                        port.path("targetPort").asInt()));
        gateway(from, "waypoint", to);
        copy(from, "subjectAltNames", to);
        var key = from.path("namespace").asText() + "/" + from.path("hostname").asText();
        var endpoints = to.putObject("endpoints");
        answer.addresses().forEach((uid, address) -> {
            if (address.path("workload").path("services").has(key)) {
                var endpoint = endpoints.putObject(uid).put("workloadUid", uid);
                var targets = endpoint.putObject("port");
                address.path("workload")
                        .path("services")
                        .path(key)
                        .path("ports")
                        .forEach(port -> targets.put(
                                port.path("servicePort").asText(),
                                port.path("targetPort").asInt()));
            }
        });
        return to;
    }

    private static ObjectNode policy(JsonNode from) {
        var to = JSON.createObjectNode();
        to.put("name", from.path("name").asText());
        to.put("namespace", from.path("namespace").asText());
        to.put("action", from.path("action").asText().equals("DENY") ? "Deny" : "Allow");
        to.put(
                "scope",
                switch (from.path("scope").asText()) {
                    case "NAMESPACE" -> "Namespace";
                    case "WORKLOAD_SELECTOR" -> "WorkloadSelector";
                    default -> "Global";
                });
        to.putArray("rules");
        return to;
    }

    private static void gateway(JsonNode from, String field, ObjectNode to) {
        var gateway = from.path(field);
        if (gateway.isMissingNode()) {
            return;
        }
        var hostname = gateway.path("hostname");
        var destination = hostname.isMissingNode()
                ? networkAddress(gateway.path("address"))
                : hostname.path("namespace").asText() + "/"
                        + hostname.path("hostname").asText();
        to.putObject(field)
                .put("destination", destination)
                .put("hboneMtlsPort", gateway.path("hboneMtlsPort").asInt());
    }

    private static String networkAddress(JsonNode address) {
        return address.path("network").asText() + "/" + address.path("address").asText();
    }

    private static void copy(JsonNode from, String field, ObjectNode to) {
        if (from.has(field)) {
            to.set(field, from.get(field));
        }
    }

    private static String orElse(JsonNode value, String otherwise) {
        return value.isMissingNode() ? otherwise : value.asText();
    }
}
