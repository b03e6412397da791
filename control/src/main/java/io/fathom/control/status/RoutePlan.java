// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.lang.Problem;
import io.fathom.control.gateway.ParentVerdict;
import io.fathom.control.gateway.RouteJudge;
import io.fathom.wire.kube.StatusForm;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What to write so that a route or policy says what became of it at our parents. Pure.
///
/// Nothing when it says so already, whatever times it names. Entries of other controllers stay: the API server takes
/// the list as one value, so they are carried along, and the edit names the version it was made of.
final class RoutePlan {
    private static final String MANAGER = RouteJudge.CONTROLLER;

    private RoutePlan() {}

    /// An entry of ours as an object holds it.
    private record HeldParent(ParentRef parent, Map<String, HeldCondition> conditions) {}

    /// @param verdicts none for an object that is none of ours any more
    /// @param refusal what proxies do not take of it: they go on with what they had
    static Optional<StatusEdit> plan(
            KubeObject object,
            StatusForm.Entries form,
            List<ParentVerdict> verdicts,
            Optional<Problem> refusal,
            Instant now) {
        var ours = new ArrayList<HeldParent>();
        var others = new ArrayList<Tree>();
        for (var tree : entries(object, form)) {
            held(tree, form).ifPresentOrElse(ours::add, () -> others.add(tree));
        }
        var generation = ConditionPlan.generation(object);
        var next = verdicts.stream()
                .map(parent -> next(parent, refusal, ours, generation, now))
                .toList();
        if (next.equals(ours)) {
            return Optional.empty();
        }
        var list = new ArrayList<Tree>(others);
        next.forEach(parent -> list.add(tree(parent, form)));
        return Optional.of(new StatusEdit(
                Json.of(Map.of(
                        "apiVersion", object.root().at("apiVersion").text(),
                        "kind", object.kind(),
                        "metadata",
                                Map.of(
                                        "name", object.name(),
                                        "namespace", object.namespace(),
                                        "resourceVersion", object.resourceVersion()),
                        "status", Map.of(form.list(), list))),
                MANAGER));
    }

    private static HeldParent next(
            ParentVerdict verdict,
            Optional<Problem> refusal,
            List<HeldParent> ours,
            Optional<String> generation,
            Instant now) {
        var before = ours.stream()
                .filter(held -> held.parent().equals(verdict.parent()))
                .findFirst()
                .map(HeldParent::conditions)
                .orElse(Map.of());
        var conditions = new HashMap<String, HeldCondition>();
        for (var wanted : ParentConditions.of(verdict, refusal)) {
            var held = Optional.ofNullable(before.get(wanted.type()));
            conditions.put(wanted.type(), HeldCondition.next(wanted, held, generation, now));
        }
        return new HeldParent(verdict.parent(), conditions);
    }

    /// Empty for an entry of another controller, and for what makes no sense.
    private static Optional<HeldParent> held(Tree tree, StatusForm.Entries form) {
        try {
            var entry = Field.root(tree);
            if (!entry.at("controllerName").text().equals(RouteJudge.CONTROLLER)) {
                return Optional.empty();
            }
            var ref = entry.at(form.ref());
            var conditions = new HashMap<String, HeldCondition>();
            if (tree instanceof Tree.Mapping mapping
                    && mapping.entries().get("conditions") instanceof Tree.Sequence sequence) {
                for (var condition : sequence.items()) {
                    var held = HeldCondition.of(condition);
                    conditions.put(held.type(), held);
                }
            }
            return Optional.of(new HeldParent(
                    new ParentRef(
                            ref.at("group").text(),
                            ref.at("kind").text(),
                            ref.at("namespace").text(),
                            ref.at("name").text(),
                            ref.at("sectionName").text(),
                            ref.at("port").integer(0, 65535).orElse(0)),
                    conditions));
        } catch (MisreadException e) {
            return Optional.empty();
        }
    }

    private static Tree tree(HeldParent held, StatusForm.Entries form) {
        var parent = held.parent();
        var ref = new LinkedHashMap<String, Object>();
        ref.put("group", parent.group());
        ref.put("kind", parent.kind());
        putUnlessEmpty(ref, "namespace", parent.namespace());
        ref.put("name", parent.name());
        putUnlessEmpty(ref, "sectionName", parent.section());
        if (parent.port() != 0) {
            ref.put("port", parent.port());
        }
        var conditions = held.conditions().values().stream()
                .sorted((one, other) -> one.type().compareTo(other.type()))
                .map(HeldCondition::tree)
                .toList();
        return Json.of(Map.of(form.ref(), ref, "controllerName", RouteJudge.CONTROLLER, "conditions", conditions));
    }

    private static void putUnlessEmpty(Map<String, Object> map, String name, String value) {
        if (!value.isEmpty()) {
            map.put(name, value);
        }
    }

    private static List<Tree> entries(KubeObject object, StatusForm.Entries form) {
        return object.tree() instanceof Tree.Mapping root
                        && root.entries().get("status") instanceof Tree.Mapping status
                        && status.entries().get(form.list()) instanceof Tree.Sequence sequence
                ? sequence.items()
                : List.of();
    }
}
