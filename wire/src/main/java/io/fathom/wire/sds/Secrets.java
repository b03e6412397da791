// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.sds;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// What can be had at one moment; immutable.
///
/// @param all encoded, by name
record Secrets(Map<String, Versioned> all) {
    static final Secrets NONE = new Secrets(Map.of());

    /// @param secret never changed
    @SuppressWarnings("ArrayRecordComponent") // encoded once, sent many times
    record Versioned(long version, byte[] secret) {}

    Secrets {
        all = Map.copyOf(all);
    }

    Optional<Versioned> secret(String name) {
        return Optional.ofNullable(all.get(name));
    }

    Secrets with(String name, byte[] secret) {
        var newer = new HashMap<>(all);
        var version = all.values().stream().mapToLong(Versioned::version).max().orElse(0) + 1;
        newer.put(name, new Versioned(version, secret));
        return new Secrets(newer);
    }
}
