// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

import java.util.List;
import java.util.Optional;

/// The spellings of true and false that upstream accepts in labels, annotations and settings, and no others.
public final class Truth {
    /// All of them, the usual ones first.
    public static final List<String> SPELLINGS =
            List.of("true", "false", "True", "False", "TRUE", "FALSE", "t", "f", "T", "F", "1", "0");

    private Truth() {}

    /// Empty for anything else.
    public static Optional<Boolean> parse(String text) {
        return switch (text) {
            case "1", "t", "T", "true", "TRUE", "True" -> Optional.of(true);
            case "0", "f", "F", "false", "FALSE", "False" -> Optional.of(false);
            default -> Optional.empty();
        };
    }

    /// False for anything else, too.
    public static boolean isTrue(String text) {
        return parse(text).orElse(false);
    }
}
