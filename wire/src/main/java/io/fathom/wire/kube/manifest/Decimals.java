// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Tree;
import java.util.OptionalDouble;

/// Numbers that need not be whole.
public final class Decimals {
    private Decimals() {}

    /// Empty when absent; a problem unless `least <= value <= most`.
    public static OptionalDouble read(Field field, double least, double most) {
        if (!field.isPresent()) {
            return OptionalDouble.empty();
        }
        if (field.tree() instanceof Tree.Scalar scalar
                && (scalar.kind() == Tree.ScalarType.INTEGER || scalar.kind() == Tree.ScalarType.DECIMAL)) {
            try {
                var value = Double.parseDouble(scalar.text().replace("_", ""));
                if (value >= least && value <= most) {
                    return OptionalDouble.of(value);
                }
            } catch (NumberFormatException _) {
                // .inf and 0x10 are numbers of YAML, but not for us
            }
        }
        throw field.wrong(
                "manifest-out-of-range",
                "is " + field.tree().describe() + ", must be a number"
                        + (most == Double.MAX_VALUE ? " of at least " + least : " from " + least + " to " + most),
                "write a number, without quotes");
    }
}
