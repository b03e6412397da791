// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.wire.kube.ManifestKind;
import io.fathom.wire.kube.StatusForm;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// What to write so that an object holds the conditions it should. Pure.
///
/// Nothing when it holds them already, whatever times they carry. Conditions of ours that are not wanted go; those of
/// others stay. Where the API server takes the list as one value, the edit names the version it was made of, so that no
/// change of somebody else gets lost.
final class ConditionPlan {
    private ConditionPlan() {}

    static Optional<StatusEdit> plan(
            ManifestKind kind,
            StatusForm.Conditions form,
            KubeObject object,
            List<StatusCondition> wanted,
            Instant now) {
        var generation =
                form.generation() == StatusForm.Generation.OBSERVED ? generation(object) : Optional.<String>empty();
        var ours = new HashMap<String, HeldCondition>();
        var others = new ArrayList<Tree>();
        for (var tree : conditions(object)) {
            var held = HeldCondition.of(tree);
            if (form.types().contains(held.type())) {
                ours.put(held.type(), held);
            } else {
                others.add(tree);
            }
        }
        var next = wanted.stream()
                .map(condition ->
                        HeldCondition.next(condition, Optional.ofNullable(ours.get(condition.type())), generation, now))
                .toList();
        if (next.size() == ours.size() && next.stream().allMatch(each -> each.equals(ours.get(each.type())))) {
            return Optional.empty();
        }
        var list = new ArrayList<Tree>();
        if (form.merging() == StatusForm.Merging.REPLACED) {
            list.addAll(others);
        }
        next.forEach(each -> list.add(each.tree()));
        var types = next.stream().map(HeldCondition::type).collect(Collectors.toSet());
        return Optional.of(new StatusEdit(
                object(kind, form, object, list), form.manager(types.isEmpty() ? ours.keySet() : types)));
    }

    private static Tree object(
            ManifestKind kind, StatusForm.Conditions form, KubeObject object, List<Tree> conditions) {
        var metadata = new HashMap<String, Object>(Map.of("name", object.name(), "namespace", object.namespace()));
        if (form.merging() == StatusForm.Merging.REPLACED) {
            metadata.put("resourceVersion", object.resourceVersion());
        } else {
            metadata.put("uid", object.uid()); // not another one of the same name
        }
        return Json.of(Map.of(
                "apiVersion", kind.apiVersion(),
                "kind", kind.kind(),
                "metadata", metadata,
                "status", Map.of("conditions", conditions)));
    }

    static Optional<String> generation(KubeObject object) {
        return object.tree() instanceof Tree.Mapping root
                        && root.entries().get("metadata") instanceof Tree.Mapping metadata
                        && metadata.entries().get("generation") instanceof Tree.Scalar scalar
                ? Optional.of(scalar.text())
                : Optional.empty();
    }

    static List<Tree> conditions(KubeObject object) {
        return object.tree() instanceof Tree.Mapping root
                        && root.entries().get("status") instanceof Tree.Mapping status
                        && status.entries().get("conditions") instanceof Tree.Sequence sequence
                ? sequence.items()
                : List.of();
    }
}
