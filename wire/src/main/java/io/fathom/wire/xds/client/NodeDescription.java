// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Node;
import java.util.Map;
import java.util.Optional;

/// Who a node proxy says it is when it opens a stream.
///
/// @param nodeName the Kubernetes node
/// @param metadata further entries, without the prefix `ISTIO_META_`
/// @param jsonMetadata entries that are JSON texts, without the prefix `ISTIO_METAJSON_`
public record NodeDescription(
        Optional<String> instanceIp,
        String pod,
        String namespace,
        Optional<String> nodeName,
        Map<String, String> metadata,
        Map<String, String> jsonMetadata) {
    private static final String UNKNOWN_IP = "1.1.1.1";

    public NodeDescription {
        metadata = Map.copyOf(metadata);
        jsonMetadata = Map.copyOf(jsonMetadata);
    }

    public String id() {
        return "ztunnel~" + instanceIp.orElse(UNKNOWN_IP) + "~" + pod + "." + namespace + "~" + namespace
                + ".svc.cluster.local";
    }

    Node message() {
        var fields = Struct.newBuilder();
        metadata.forEach((name, value) -> fields.putFields(name, MetadataJson.text(value)));
        jsonMetadata.forEach((name, value) -> fields.putFields(name, MetadataJson.parse(value)));
        put(fields, "NAME", pod);
        put(fields, "NAMESPACE", namespace);
        put(fields, "INSTANCE_IPS", instanceIp.orElse(UNKNOWN_IP));
        nodeName.ifPresent(name -> put(fields, "NODE_NAME", name));
        return Node.newBuilder().setId(id()).setMetadata(fields).build();
    }

    private static void put(Struct.Builder fields, String name, String value) {
        fields.putFields(name, Value.newBuilder().setStringValue(value).build());
    }
}
