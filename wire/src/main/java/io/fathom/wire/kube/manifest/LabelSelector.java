// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import io.fathom.wire.kube.tree.Field;
import java.util.List;
import java.util.Map;

/// A Kubernetes label selector: all of its labels and expressions must hold. An empty one matches everything.
public record LabelSelector(Map<String, String> matchLabels, List<Requirement> matchExpressions) {
    public static final LabelSelector EVERYTHING = new LabelSelector(Map.of(), List.of());

    /// No label has one of no values.
    public static final LabelSelector NOTHING =
            new LabelSelector(Map.of(), List.of(new Requirement("", Operator.IN, List.of())));

    public enum Operator {
        IN,
        NOT_IN,
        EXISTS,
        DOES_NOT_EXIST
    }

    public record Requirement(String key, Operator operator, List<String> values) {
        public Requirement {
            values = List.copyOf(values);
        }

        boolean holds(Map<String, String> labels) {
            var value = labels.get(key);
            return switch (operator) {
                case IN -> value != null && values.contains(value);
                case NOT_IN -> value == null || !values.contains(value);
                case EXISTS -> value != null;
                case DOES_NOT_EXIST -> value == null;
            };
        }
    }

    public LabelSelector {
        matchLabels = Map.copyOf(matchLabels);
        matchExpressions = List.copyOf(matchExpressions);
    }

    /// From text that was read already; an absent one matches everything.
    ///
    /// @throws io.fathom.wire.kube.tree.MisreadException that says where and why it cannot be used
    public static LabelSelector of(Field selector) {
        return SelectorReader.labels(selector);
    }

    /// Whether it asks for nothing, and so matches everything.
    public boolean isEmpty() {
        return matchLabels.isEmpty() && matchExpressions.isEmpty();
    }

    public boolean matches(Map<String, String> labels) {
        return labels.entrySet().containsAll(matchLabels.entrySet())
                && matchExpressions.stream().allMatch(requirement -> requirement.holds(labels));
    }
}
