// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.List;

/// Makes a result from all members of a group, which come sorted by their key. Must be pure.
@FunctionalInterface
public interface Reduction<G, V, R> {
    R reduce(Fetch<G> fetch, G group, List<V> members);
}
