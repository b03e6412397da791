// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.time.Duration;
import java.util.List;

/// What a certificate is issued for. The names come from whoever authenticated the caller, never from its request.
///
/// @param names subject alternative names, at least one
/// @param subject whether the first name is repeated as the common name
/// @param lifetime from now on; cut at the end of the signer
public record Leaf(SubjectKey key, List<String> names, Subject subject, Duration lifetime) {
    /// What the subject field holds. The names are always in the critical extension, so it can be empty.
    public enum Subject {
        EMPTY,
        /// The first name, if it fits the 64 characters a common name may have.
        COMMON_NAME
    }

    private static boolean isPlain(String name) {
        return !name.isEmpty() && name.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }

    public Leaf {
        names = List.copyOf(names);
        if (names.isEmpty() || !lifetime.isPositive()) {
            throw new IllegalArgumentException("a certificate needs a name and a lifetime");
        }
        if (!names.stream().allMatch(Leaf::isPlain)) {
            throw new IllegalArgumentException("names in certificates are printable ASCII");
        }
    }
}
