// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import java.util.List;
import java.util.Map;

/// A value of structured text, whatever the text was written in. Immutable; aliases share one subtree.
public sealed interface Tree {
    Position at();

    /// How a message names this value: `the number 80`, `a list`.
    String describe();

    /// What a scalar is taken for: Kubernetes reads `1.10` as a number and `yes` as a flag unless they are quoted.
    enum ScalarType {
        TEXT,
        INTEGER,
        DECIMAL,
        FLAG,
        NONE
    }

    /// A single value, spelled as written.
    ///
    /// @param bodyLine the line where the text itself begins: after the `|` of a block
    record Scalar(Position at, ScalarType kind, String text, int bodyLine) implements Tree {
        @Override
        public String describe() {
            return switch (kind) {
                case TEXT -> "the text \"" + shortened() + "\"";
                case INTEGER, DECIMAL -> "the number " + shortened();
                case FLAG -> "the true/false value " + text;
                case NONE -> "empty";
            };
        }

        public boolean isNumber() {
            return kind == ScalarType.INTEGER || kind == ScalarType.DECIMAL;
        }

        /// Also `80.0`, which tools write as 80.
        public boolean isWhole() {
            return kind == ScalarType.INTEGER || (kind == ScalarType.DECIMAL && number() == Math.rint(number()));
        }

        /// The value of a number; none of [ScalarType#INTEGER] or [ScalarType#DECIMAL] is not a number.
        public double number() {
            return PlainScalar.decimal(text);
        }

        /// The first line of it, cut if it is long.
        public String shortened() {
            var line = text.strip().lines().findFirst().orElse("");
            return line.length() <= 60 ? line : line.substring(0, 57) + "...";
        }
    }

    record Sequence(Position at, List<Tree> items) implements Tree {
        @Override
        public String describe() {
            return "a list";
        }
    }

    /// Values by name.
    ///
    /// @param entries in the order in which they are written
    /// @param keys where the names stand, if that is known
    record Mapping(Position at, Map<String, Tree> entries, Keys keys) implements Tree {
        public Mapping(Position at, Map<String, Tree> entries) {
            this(at, entries, Keys.UNKNOWN);
        }

        @Override
        public String describe() {
            return "a map";
        }
    }
}
