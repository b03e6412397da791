// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.store;

import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// A [FileRecord] as the `spec` of an object: a text for a value, a list of texts for several. Names are written as
/// Kubernetes does: `trust-domain` becomes `trustDomain`.
///
/// @param version of the object, for whoever changes it
public record RecordObject(String name, String version, FileRecord record) {
    static RecordObject of(KubeObject object) {
        var record = FileRecord.builder();
        object.root().at("spec").entries().forEach((name, value) -> {
            if (value.isList()) {
                record.addAll(hyphenated(name), value.texts());
            } else {
                record.add(hyphenated(name), value.text());
            }
        });
        return new RecordObject(object.name(), object.resourceVersion(), record.build());
    }

    static Map<String, Object> spec(FileRecord record) {
        var spec = new LinkedHashMap<String, Object>();
        record.values()
                .forEach((name, values) -> spec.put(camelCase(name), values.size() == 1 ? values.getFirst() : values));
        return spec;
    }

    /// A merge patch that makes this object's record another one, if it still is as it was read.
    Tree patchTo(FileRecord next) {
        var spec = spec(next);
        record.values().keySet().forEach(name -> spec.putIfAbsent(camelCase(name), Json.NOTHING));
        return Json.of(Map.of("metadata", Map.of("resourceVersion", version), "spec", spec));
    }

    /// Versions count up.
    boolean isNewerThan(RecordObject other) {
        try {
            return Long.parseUnsignedLong(version) > Long.parseUnsignedLong(other.version);
        } catch (NumberFormatException _) {
            return !version.equals(other.version);
        }
    }

    private static String camelCase(String name) {
        var text = new StringBuilder();
        for (var word : name.split("-", -1)) {
            text.append(text.isEmpty() ? word : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
        }
        return text.toString();
    }

    private static String hyphenated(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
