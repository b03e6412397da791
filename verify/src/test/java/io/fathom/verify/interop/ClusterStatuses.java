// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.peers.KubeClient;
import io.fathom.verify.peers.KubeKind;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The conditions and addresses that a control plane wrote into a cluster, comparable with those ours would write.
final class ClusterStatuses {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<KubeKind> KINDS =
            List.of(KubeKind.SERVICE, KubeKind.SERVICE_ENTRY, KubeKind.WORKLOAD_ENTRY, KubeKind.AUTHORIZATION_POLICY);
    private static final Set<String> CONDITIONS = Set.of(
            "istio.io/WaypointBound",
            "istio.io/WaypointMissing",
            "istio.io/VisibilityApplied",
            "ZtunnelAccepted",
            "WaypointAccepted");

    private ClusterStatuses() {}

    /// @param hidden namespaces outside the mesh: what was written there before they left stays
    static JsonNode of(KubeClient cluster, Set<String> hidden) {
        var result = JSON.createObjectNode();
        for (var kind : KINDS) {
            for (var object : cluster.list(kind)) {
                if (hidden.contains(object.at("/metadata/namespace").asText())) {
                    continue;
                }
                var name = "%s/%s/%s"
                        .formatted(
                                kind.kind(),
                                object.at("/metadata/namespace").asText(),
                                object.at("/metadata/name").asText());
                var status = (ObjectNode) JSON.createObjectNode()
                        .<ObjectNode>set("conditions", object.at("/status/conditions"))
                        .set("addresses", object.at("/status/addresses"));
                result.set(name, status);
            }
        }
        return comparable(result, severalHosts(cluster));
    }

    /// Keeps type, status and reason of the mesh's own conditions; drops those of service entries with several hosts,
    /// which upstream computes per host and lets the last one win.
    static JsonNode comparable(JsonNode statuses, Set<String> severalHosts) {
        var result = JSON.createObjectNode();
        statuses.properties().forEach(entry -> {
            if (KINDS.stream().noneMatch(kind -> entry.getKey().startsWith(kind.kind() + "/"))) {
                return;
            }
            var conditions = new TreeMap<String, String>();
            for (var condition : entry.getValue().path("conditions")) {
                var type = condition.path("type").asText();
                if (CONDITIONS.contains(type) && !severalHosts.contains(entry.getKey())) {
                    var reason = condition.path("reason").asText();
                    // Of a DENY that node proxies cannot enforce in full upstream says True: docs/differences.md.
                    conditions.put(
                            type,
                            reason.equals("UnsupportedValue")
                                    ? reason
                                    : condition.path("status").asText() + " " + reason);
                }
            }
            var addresses = new TreeMap<String, String>();
            for (var address : entry.getValue().path("addresses")) {
                addresses.put(
                        address.path("value").asText(), address.path("host").asText());
            }
            if (!conditions.isEmpty() || !addresses.isEmpty()) {
                var status = result.putObject(entry.getKey());
                status.set("conditions", JSON.valueToTree(conditions));
                status.set("addresses", JSON.valueToTree(addresses));
            }
        });
        return result;
    }

    static Set<String> severalHosts(KubeClient cluster) {
        return cluster.list(KubeKind.SERVICE_ENTRY).stream()
                .filter(entry -> entry.at("/spec/hosts").size() > 1)
                .map(entry -> "ServiceEntry/%s/%s"
                        .formatted(
                                entry.at("/metadata/namespace").asText(),
                                entry.at("/metadata/name").asText()))
                .collect(Collectors.toSet());
    }
}
