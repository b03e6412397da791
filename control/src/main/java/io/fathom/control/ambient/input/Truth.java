// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import java.util.Optional;

/// The spellings of true and false that upstream accepts in labels and settings, and no others.
public final class Truth {
    private Truth() {}

    public static Optional<Boolean> parse(String text) {
        return switch (text) {
            case "1", "t", "T", "true", "TRUE", "True" -> Optional.of(true);
            case "0", "f", "F", "false", "FALSE", "False" -> Optional.of(false);
            default -> Optional.empty();
        };
    }
}
