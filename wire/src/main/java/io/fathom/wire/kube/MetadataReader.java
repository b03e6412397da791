// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.tree.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads `metadata`. Annotations that the mesh never reads are dropped: they are often larger than the object.
final class MetadataReader {
    private static final List<String> KEPT_ANNOTATIONS = List.of(
            "fathom.io/",
            "istio.io/",
            "sidecar.istio.io/",
            "proxy.istio.io/",
            "ambient.istio.io/",
            "networking.istio.io/",
            "gateway.istio.io/",
            "service.istio.io/",
            "topology.istio.io/",
            "kubernetes.io/config.mirror"); // a static pod: PluginRequest

    private final String cluster;
    private final Interner interner;

    MetadataReader(String cluster, Interner interner) {
        this.cluster = cluster;
        this.interner = interner;
    }

    ObjectKey key(ManifestKind kind, Field metadata) {
        var name = metadata.at("name");
        if (!name.isPresent() && metadata.at("generateName").isPresent()) {
            throw name.missing("write a name: generateName needs an API server");
        }
        var text = name.requiredText();
        if (kind.scope() == ManifestKind.Scope.CLUSTER) {
            checkName(kind, name, text);
            return new ObjectKey(cluster, "", text);
        }
        var namespace = metadata.at("namespace");
        var namespaceText = namespace.text();
        if (!namespaceText.isEmpty() && !Names.isLabel(namespaceText)) {
            throw badName(namespace, namespaceText, "lower-case letters, digits and dashes, at most 63");
        }
        checkName(kind, name, text);
        return new ObjectKey(cluster, interner.text(namespaceText.isEmpty() ? "default" : namespaceText), text);
    }

    private static void checkName(ManifestKind kind, Field name, String text) {
        if (kind.isNamedByLabel()) {
            if (!Names.isLabel(text)) {
                throw badName(name, text, "lower-case letters, digits and dashes, at most 63");
            }
        } else if (!Names.isSubdomain(text)) {
            throw badName(name, text, "lower-case letters, digits, dashes and dots, at most 253");
        }
    }

    private static RuntimeException badName(Field field, String text, String form) {
        return field.wrong(
                "manifest-bad-value", "is \"" + text + "\", which is no name Kubernetes accepts", "use only " + form);
    }

    /// Everything but the age, which the object may leave to its source.
    Metadata read(ManifestId id, Field metadata, Ages ages) {
        var labels = labels(metadata.at("labels"));
        var annotations = annotations(metadata.at("annotations"));
        var uid = metadata.at("uid").text();
        var created = metadata.at("creationTimestamp").instant();
        var lifecycle = metadata.at("deletionTimestamp").instant().isPresent()
                ? Metadata.Lifecycle.TERMINATING
                : Metadata.Lifecycle.ACTIVE;
        return new Metadata(id.key(), uid, labels, annotations, created.orElseGet(() -> ages.firstSeen(id)), lifecycle);
    }

    private Map<String, String> labels(Field labels) {
        var texts = new LinkedHashMap<String, String>();
        labels.entries().forEach((key, field) -> {
            var value = field.text();
            if (!Names.isLabelKey(key)) {
                throw field.wrong(
                        "manifest-bad-value",
                        "is no label name Kubernetes accepts",
                        "use letters, digits, dashes, dots and underscores, optionally after `domain/`");
            }
            if (!Names.isLabelValue(value)) {
                throw field.wrong(
                        "manifest-bad-value",
                        "is \"" + value + "\", which is no label value Kubernetes accepts",
                        "use at most 63 letters, digits, dashes, dots and underscores, or an annotation");
            }
            texts.put(key, value);
        });
        return interner.map(texts);
    }

    private Map<String, String> annotations(Field annotations) {
        var texts = new LinkedHashMap<String, String>();
        annotations.entries().forEach((key, field) -> {
            var value = field.text(); // also of those we drop: Kubernetes would refuse the object
            if (KEPT_ANNOTATIONS.stream().anyMatch(key::startsWith)) {
                texts.put(key, value);
            }
        });
        return interner.map(texts);
    }
}
