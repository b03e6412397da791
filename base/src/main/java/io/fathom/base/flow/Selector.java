// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.Map;
import java.util.Optional;

/// Selects the objects that have all these labels, in one scope or, when it is empty, in every scope.
/// Without labels it selects nothing.
public record Selector<S>(Optional<S> scope, Map<String, String> labels) {
    boolean matches(Labels<S> object) {
        return !labels.isEmpty()
                && (scope.isEmpty() || scope.get().equals(object.scope()))
                && object.labels().entrySet().containsAll(labels.entrySet());
    }
}
