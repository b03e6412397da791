// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import java.util.Optional;

/// The key sets of token issuers that have been fetched. Asked during a derivation, it remembers what was asked.
@FunctionalInterface
public interface KeySets {
    /// Nothing has been fetched.
    KeySets NONE = _ -> Optional.empty();

    /// The last good one, as JSON; empty before there was any.
    Optional<String> find(JwksSource source);
}
