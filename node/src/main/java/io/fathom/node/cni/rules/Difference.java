// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

/// One way in which rules are not as they should be.
///
/// @param place for example `IPv4 nat ISTIO_OUTPUT`
/// @param what the rule, chain or route concerned, as its tool writes it
public record Difference(DifferenceKind kind, String place, String what) {
    public enum DifferenceKind {
        MISSING,
        UNEXPECTED,
        /// All is there, in another order.
        MISPLACED
    }

    @Override
    public String toString() {
        var word = switch (kind) {
            case MISSING -> "missing";
            case UNEXPECTED -> "unexpected";
            case MISPLACED -> "out of order";
        };
        return place + ": " + word + ": " + what;
    }
}
