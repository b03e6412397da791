// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import io.fathom.wire.kube.manifest.LabelSelector.Operator;
import io.fathom.wire.kube.manifest.LabelSelector.Requirement;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.Map;
import java.util.Optional;

/// Reads selectors: those of Kubernetes with expressions, and the workload selectors of Istio with labels only.
public final class SelectorReader {
    private static final Choices<Operator> OPERATORS = Choices.of(Operator.class, operator -> switch (operator) {
        case IN -> "In";
        case NOT_IN -> "NotIn";
        case EXISTS -> "Exists";
        case DOES_NOT_EXIST -> "DoesNotExist";
    });

    private SelectorReader() {}

    /// An absent selector matches everything.
    public static LabelSelector labels(Field selector) {
        var requirements = selector.at("matchExpressions").items().stream()
                .map(SelectorReader::requirement)
                .toList();
        return new LabelSelector(selector.at("matchLabels").textMap(), requirements);
    }

    private static Requirement requirement(Field expression) {
        var key = expression.at("key").requiredText();
        var operator = expression.at("operator").oneOf(OPERATORS);
        var values = expression.at("values");
        var texts = values.texts();
        var wantsValues = operator == Operator.IN || operator == Operator.NOT_IN;
        if (wantsValues && texts.isEmpty()) {
            throw values.missing("list at least one value, or use Exists or DoesNotExist");
        }
        if (!wantsValues && !texts.isEmpty()) {
            throw values.wrong(
                    "manifest-bad-value", "must be empty: the operator only looks at the key", "delete it, or use In");
        }
        return new Requirement(key, operator, texts);
    }

    /// Empty when absent; without labels when it has none.
    public static Optional<Map<String, String>> workloads(Field selector, Interner interner) {
        return selector.isPresent()
                ? Optional.of(interner.map(selector.at("matchLabels").textMap()))
                : Optional.empty();
    }
}
