// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.peers.KubeKind;
import java.util.List;

/// Small helpers to write Kubernetes objects.
final class Draft {
    private static final ObjectMapper JSON = new ObjectMapper();
    static final List<String> APPS = List.of("a", "b", "c", "d");

    private Draft() {}

    /// An object with a label; upstream takes objects without any for members of every selector.
    static ObjectNode of(KubeKind kind, String namespace, String name, String app) {
        var object = bare(kind, name);
        var metadata = (ObjectNode) object.get("metadata");
        metadata.put("namespace", namespace);
        metadata.putObject("labels").put("app", app);
        return object;
    }

    static ObjectNode bare(KubeKind kind, String name) {
        var object =
                JSON.createObjectNode().put("apiVersion", kind.apiVersion()).put("kind", kind.kind());
        object.putObject("metadata").put("name", name);
        return object;
    }

    static ObjectNode node() {
        return JSON.createObjectNode();
    }

    static ObjectNode labels(ObjectNode object) {
        return ((ObjectNode) object.get("metadata")).withObject("/labels");
    }

    static ObjectNode annotations(ObjectNode object) {
        return ((ObjectNode) object.get("metadata")).withObject("/annotations");
    }

    static ObjectNode spec(ObjectNode object) {
        return object.withObject("/spec");
    }

    static String namespace(ObjectNode object) {
        return object.at("/metadata/namespace").asText();
    }

    static ArrayNode strings(ObjectNode owner, String field, List<String> values) {
        var array = owner.putArray(field);
        values.forEach(array::add);
        return array;
    }

    /// Sets a label or annotation, or takes it away, as chance will have it.
    static void maybe(Dice dice, int percent, ObjectNode owner, String key, String... values) {
        if (dice.chance(percent)) {
            owner.put(key, dice.pick(values));
        } else {
            owner.remove(key);
        }
    }
}
