// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import java.util.List;
import java.util.Optional;

/// Where the keys of an issuer come from. Any thread; may block for a remote call.
@FunctionalInterface
public interface IssuerKeys {
    /// The keys to try for a token that names `id`, or all of them if it names none. Empty if there is none; keys that
    /// cannot be fetched are an [io.fathom.base.lang.ProblemException].
    List<JsonWebKey> find(Optional<String> id);

    /// Keys that never change.
    static IssuerKeys fixed(List<JsonWebKey> keys) {
        return id -> matching(keys, id);
    }

    static List<JsonWebKey> matching(List<JsonWebKey> keys, Optional<String> id) {
        return keys.stream()
                .filter(key -> id.isEmpty() || key.id().isEmpty() || key.id().equals(id))
                .toList();
    }
}
