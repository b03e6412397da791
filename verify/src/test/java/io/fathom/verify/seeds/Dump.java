// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.seeds;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.StreamSupport;

/// Finds resources in the dump of an Envoy.
record Dump(JsonNode root) {
    List<String> types() {
        return StreamSupport.stream(root.path("configs").spliterator(), false)
                .map(config -> config.path("@type").asText())
                .toList();
    }

    JsonNode listener(String name) {
        return find("dynamic_listeners", "/active_state/listener", "/name", name);
    }

    JsonNode routes(String name) {
        return find("dynamic_route_configs", "/route_config", "/name", name);
    }

    JsonNode cluster(String name) {
        return find("dynamic_active_clusters", "/cluster", "/name", name);
    }

    /// The one endpoint of a cluster.
    JsonNode endpoint(String cluster) {
        return find("dynamic_endpoint_configs", "/endpoint_config", "/cluster_name", cluster)
                .at("/endpoints/0/lb_endpoints/0");
    }

    private JsonNode find(String list, String resource, String key, String name) {
        for (var config : root.path("configs")) {
            for (var row : config.path(list)) {
                if (row.at(resource).at(key).asText().equals(name)) {
                    return row.at(resource);
                }
            }
        }
        throw new AssertionError("no " + list + " " + name + " in " + root);
    }
}
