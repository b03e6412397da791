// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.ParametersRef;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// What a ConfigMap changes about the objects of a Gateway. Immutable.
///
/// @param source for messages: `ConfigMap shop/waypoint-options`
record Overlay(String source, Map<Kinds, Tree> patches) {
    private static final List<String> OUR_LABELS =
            List.of(GatewayLabels.MANAGED, GatewayLabels.GATEWAY_NAME, GatewayLabels.GATEWAY_CLASS_NAME);

    Overlay {
        patches = Map.copyOf(patches);
    }

    /// The one that a Gateway names.
    ///
    /// @param data of that ConfigMap; empty if there is none
    /// @throws ProblemException when it cannot be used
    static Overlay of(GatewayManifest gateway, ParametersRef reference, Optional<Map<String, String>> data) {
        if (!reference.isConfigMap()) {
            throw problem(
                    "spec.infrastructure.parametersRef names a " + reference.kind(), "name a ConfigMap, of group \"\"");
        }
        var source = "ConfigMap " + gateway.namespace() + "/" + reference.name();
        return parse(
                source,
                data.orElseThrow(() -> problem(
                        "there is no " + source + ", which parametersRef names", "create it, or name another")));
    }

    /// From the data of a ConfigMap. Throws a [ProblemException] for a key that means nothing and for broken YAML.
    static Overlay parse(String source, Map<String, String> data) {
        var patches = new EnumMap<Kinds, Tree>(Kinds.class);
        data.forEach((key, text) -> {
            var kind = Kinds.ofOverlay(key)
                    .orElseThrow(() -> problem(
                            source + " has an entry \"" + key + "\" that is no object of a gateway",
                            "use only the entries " + keys()));
            parse(source, key, text).ifPresent(patch -> patches.put(kind, patch));
        });
        return new Overlay(source, patches);
    }

    private static Optional<Tree> parse(String source, String key, String text) {
        var documents = Documents.ofYaml(source + " entry " + key, text, Limits.DEFAULT);
        if (documents.size() > 1) {
            throw problem(source + " holds several documents under \"" + key + "\"", "write one");
        }
        for (var document : documents) {
            switch (document) {
                case Document.Broken broken ->
                    throw problem(
                            source + " is broken under \"" + key + "\": "
                                    + broken.cause().getMessage(),
                            "correct the YAML");
                case Document.Parsed parsed -> {
                    if (!(parsed.root() instanceof Tree.Mapping)) {
                        throw problem(
                                source + " holds " + parsed.root().describe() + " under \"" + key + "\"",
                                "write the fields of the object that shall differ");
                    }
                    return Optional.of(parsed.root());
                }
            }
        }
        return Optional.empty();
    }

    boolean has(Kinds kind) {
        return patches.containsKey(kind);
    }

    /// `current` with this overlay on it. Throws a [ProblemException] if it then were another object than `base`.
    Tree apply(PlannedObject base, Tree current) {
        var patch = patches.get(base.kind());
        if (patch == null) {
            return current;
        }
        var changed = StrategicMerge.apply(current, patch);
        try {
            var before = Field.root(base.tree());
            var after = Field.root(changed);
            same(base, "apiVersion", before, after);
            same(base, "kind", before, after);
            for (var field : List.of("name", "namespace")) {
                same(base, field, before.at("metadata"), after.at("metadata"));
            }
            for (var label : OUR_LABELS) {
                same(
                        base,
                        label,
                        before.at("metadata").at("labels"),
                        after.at("metadata").at("labels"));
            }
            sameOwner(base, before, after);
        } catch (MisreadException e) {
            throw problem(
                    source + " makes no sense for the " + base.kind().kind() + ": " + e.getMessage(), "correct it");
        }
        return changed;
    }

    private void same(PlannedObject base, String field, Field before, Field after) {
        if (!before.at(field).text().equals(after.at(field).text())) {
            throw changes(base, field);
        }
    }

    private void sameOwner(PlannedObject base, Field before, Field after) {
        if (!owners(before).equals(owners(after))) {
            throw changes(base, "ownerReferences");
        }
    }

    private static List<String> owners(Field object) {
        return object.at("metadata").at("ownerReferences").items().stream()
                .map(owner -> owner.at("kind").text()
                        + owner.at("name").text()
                        + owner.at("uid").text())
                .toList();
    }

    private ProblemException changes(PlannedObject base, String field) {
        return problem(
                source + " changes " + field + " of the " + base.kind().kind() + ", which says whose it is",
                "leave " + field + " out of the overlay");
    }

    private static String keys() {
        return Arrays.stream(Kinds.values())
                .map(Kinds::overlayKey)
                .filter(key -> !key.isEmpty())
                .collect(Collectors.joining(", "));
    }

    static ProblemException problem(String message, String fix) {
        return new ProblemException(Problem.ofInput("gateway-overlay-refused", message, fix));
    }
}
