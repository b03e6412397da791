// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import io.fathom.wire.kube.manifest.ExactFields;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import io.fathom.wire.kube.tree.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What a policy is for: workloads with labels, or objects that it is attached to; else all of its namespace.
///
/// Read exactly: where Kubernetes or the webhook of Istio would refuse it, it cannot be read.
record PolicyReach(Optional<Map<String, String>> selector, List<PolicyTarget> targets) {
    static final PolicyReach NAMESPACE = new PolicyReach(Optional.empty(), List.of());

    private static final int LONGEST_VALUE = 63;
    private static final Set<String> SELECTOR = Set.of("matchLabels");
    private static final Set<String> TARGET = Set.of("group", "kind", "name", "namespace");
    private static final List<String> WAYS = List.of("selector", "targetRef", "targetRefs");
    private static final List<String> KINDS = List.of(
            "/Service",
            "core/Service",
            "networking.istio.io/ServiceEntry",
            "gateway.networking.k8s.io/Gateway",
            "gateway.networking.k8s.io/GatewayClass");

    static PolicyReach read(Field spec, Interner interner) {
        var used = WAYS.stream().filter(way -> spec.at(way).isPresent()).toList();
        if (used.size() > 1) {
            throw spec.at(used.getFirst())
                    .wrong(
                            "manifest-bad-value",
                            "cannot be used together with " + used.getLast(),
                            "keep targetRefs for a waypoint, or the selector for ztunnel");
        }
        var targets = new ArrayList<PolicyTarget>();
        if (spec.at("targetRef").isPresent()) {
            targets.add(target(spec.at("targetRef")));
        }
        targets.addAll(ExactFields.items(spec.at("targetRefs"), PolicyReach::target));
        return new PolicyReach(selector(spec.at("selector"), interner), List.copyOf(targets));
    }

    /// What is left of it in an object with mistakes; empty when it cannot be told.
    static Optional<PolicyReach> readDamaged(DamagedParts parts, Field spec, Interner interner) {
        var used = WAYS.stream().filter(parts::has).toList();
        if (parts.isLost() || used.size() > 1) {
            return Optional.empty();
        }
        if (used.isEmpty()) {
            return parts.mayLack() ? Optional.empty() : Optional.of(NAMESPACE);
        }
        var way = spec.at(used.getFirst());
        return way.isPresent() ? parts.read(way, _ -> read(spec, interner)) : Optional.empty();
    }

    /// Empty when absent; without labels when it has none.
    static Optional<Map<String, String>> selector(Field selector, Interner interner) {
        if (!selector.isPresent()) {
            return Optional.empty();
        }
        var labels = ExactFields.map(selector, SELECTOR).at("matchLabels");
        labels.entries().forEach(PolicyReach::checkLabel);
        return Optional.of(interner.map(labels.textMap()));
    }

    private static void checkLabel(String key, Field value) {
        if (!value.isPresent()) {
            throw value.missing("write the value of the label, or delete the line");
        }
        if (key.isEmpty()
                || key.contains("*")
                || value.text().contains("*")
                || value.text().length() > LONGEST_VALUE) {
            throw value.wrong(
                    "manifest-bad-value",
                    "can be no label of a pod",
                    "write the name and the value of a label, without wildcards, the value with up to 63 characters");
        }
    }

    private static PolicyTarget target(Field field) {
        ExactFields.requiredMap(field, TARGET);
        var target = new PolicyTarget(
                field.at("group").text(),
                field.at("kind").requiredText(),
                field.at("name").requiredText());
        if (!field.at("namespace").text().isEmpty()) {
            throw field.at("namespace")
                    .wrong(
                            "manifest-bad-value",
                            "cannot be another one",
                            "delete it: a target is in the same namespace");
        }
        if (!KINDS.contains(target.group() + "/" + target.kind())) {
            throw field.at("kind")
                    .wrong(
                            "manifest-unknown-value",
                            "is \"" + target.kind() + "\" of group \"" + target.group()
                                    + "\", which policies cannot be attached to",
                            "write Service (group \"\"), ServiceEntry (networking.istio.io), Gateway or GatewayClass"
                                    + " (gateway.networking.k8s.io)");
        }
        return target;
    }
}
