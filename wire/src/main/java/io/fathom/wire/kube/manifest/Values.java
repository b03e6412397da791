// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.Optional;

/// Reads values that may be absent or are kept as JSON.
public final class Values {
    private Values() {}

    public static Optional<Boolean> flag(Field field) {
        return field.isPresent() ? Optional.of(field.flag()) : Optional.empty();
    }

    /// A share of a hundred.
    public static Optional<Double> percent(Field field) {
        if (!field.isPresent()) {
            return Optional.empty();
        }
        var value = number(field);
        if (value.isEmpty() || !(value.get() >= 0 && value.get() <= 100)) {
            throw field.wrong(
                    "manifest-out-of-range",
                    "must be a number from 0 to 100",
                    "write a percentage, such as 1 or 0.5, without quotes");
        }
        return value;
    }

    private static Optional<Double> number(Field field) {
        if (!(field.tree() instanceof Tree.Scalar(var _, var kind, var text, var _))
                || (kind != Tree.ScalarType.INTEGER && kind != Tree.ScalarType.DECIMAL)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Double.valueOf(text));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    /// As JSON; empty when absent.
    public static String json(Field field) {
        return field.isPresent() ? Json.compact(field.tree()) : "";
    }

    /// As JSON; must be a map when it is there.
    public static String jsonObject(Field field) {
        var _ = field.entries();
        return json(field);
    }
}
