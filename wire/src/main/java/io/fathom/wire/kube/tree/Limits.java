// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

/// What a document may cost.
///
/// @param depth how deep values may be nested
/// @param values how many values it may hold once its aliases are expanded
public record Limits(int depth, int values) {
    public static final Limits DEFAULT = new Limits(100, 2_000_000);

    public Limits {
        if (depth < 1 || values < 1) {
            throw new IllegalArgumentException("limits must be positive");
        }
    }
}
