// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Node;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// Who a client says it is, from the first request of its stream.
///
/// @param proxy its name and namespace, `name.namespace`
/// @param metadata the entries that are plain text, such as CLUSTER_ID and ISTIO_VERSION
/// @param labels of its pod
public record ClientNode(
        String id,
        Type type,
        String ip,
        String proxy,
        String domain,
        Map<String, String> metadata,
        Map<String, String> labels) {
    /// What kind of proxy it is.
    public enum Type {
        SIDECAR,
        ROUTER,
        WAYPOINT,
        ZTUNNEL
    }

    public ClientNode {
        metadata = Map.copyOf(metadata);
        labels = Map.copyOf(labels);
    }

    /// The Kubernetes node it runs on; empty when unknown.
    public String nodeName() {
        return metadata.getOrDefault("NODE_NAME", "");
    }

    public String clusterId() {
        return metadata.getOrDefault("CLUSTER_ID", "");
    }

    public String version() {
        return metadata.getOrDefault("ISTIO_VERSION", "");
    }

    public String namespace() {
        return metadata.getOrDefault("NAMESPACE", proxy.substring(proxy.lastIndexOf('.') + 1));
    }

    /// Reads what a client says of itself.
    ///
    /// @throws StreamRejection unless the id is `type~ip~name.namespace~domain` with a type we know
    public static ClientNode parse(ByteString bytes) {
        Node node;
        try {
            node = Node.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw StreamRejection.invalid("malformed node: " + e.getMessage());
        }
        if (node.getId().isEmpty()) {
            throw StreamRejection.invalid("missing node information");
        }
        var parts = node.getId().split("~", -1);
        if (parts.length != 4) {
            throw StreamRejection.invalid("node id \"" + node.getId()
                    + "\" does not have the 4 parts of type~ip~name.namespace~namespace.svc.domain");
        }
        return new ClientNode(
                node.getId(),
                type(parts[0], node.getId()),
                parts[1],
                parts[2],
                parts[3],
                texts(node.getMetadata()),
                texts(node.getMetadata()
                        .getFieldsOrDefault("LABELS", Value.getDefaultInstance())
                        .getStructValue()));
    }

    private static Type type(String text, String id) {
        for (var type : Type.values()) {
            if (type.name().toLowerCase(Locale.ROOT).equals(text)) {
                return type;
            }
        }
        throw StreamRejection.invalid(
                "node id \"" + id + "\" starts with no known type (sidecar, router, waypoint, ztunnel)");
    }

    private static Map<String, String> texts(Struct struct) {
        var texts = new HashMap<String, String>();
        struct.getFieldsMap().forEach((key, value) -> {
            if (value.hasStringValue()) {
                texts.put(key, value.getStringValue());
            }
        });
        return texts;
    }
}
