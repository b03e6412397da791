// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.util.Locale;
import java.util.Optional;

/// A table of iptables, in the order in which they are written.
enum Table {
    FILTER,
    MANGLE,
    NAT,
    RAW;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Table> of(String word) {
        for (var table : values()) {
            if (table.word().equals(word)) {
                return Optional.of(table);
            }
        }
        return Optional.empty();
    }
}
