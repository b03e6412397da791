// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import java.util.regex.Pattern;

/// Names that become part of a request's path.
final class VaultPath {
    private static final Pattern SEGMENTS =
            Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*");

    private VaultPath() {}

    /// Refuses everything that could lead to another path than the one that was meant.
    static void require(String what, String name) {
        if (!SEGMENTS.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    what + " must be made of letters, digits, '.', '_', '-' and inner '/': " + name);
        }
    }
}
