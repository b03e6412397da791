// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import java.util.List;

/// Why a policy speaks for a connection.
///
/// @param policy `namespace/name`
/// @param group position of the group (of the AuthorizationPolicy's rule) that holds
/// @param matches for each rules entry of the group the position of the match that holds; -1 where there is nothing to
/// match, which always holds
public record Matched(String policy, Authorization.Action action, int group, List<Integer> matches) {
    public Matched {
        matches = List.copyOf(matches);
    }
}
