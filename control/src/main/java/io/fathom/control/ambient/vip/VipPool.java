// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.vip;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import java.util.Collections;
import java.util.SortedSet;

/// Where the next automatic address of one family comes from. Immutable; does not know who holds which address.
///
/// @param next where the walk through the block continues
/// @param returned to be used before any other
/// @param supply whether it makes sense to look
record VipPool(IpBlock block, Ip next, SortedSet<Ip> returned, Supply supply) {
    enum Supply {
        UNKNOWN,
        /// A walk found nothing, and nothing was given up since.
        EXHAUSTED
    }

    VipPool {
        returned = Collections.unmodifiableSortedSet(returned);
    }

    /// The first address of the block stays unused.
    static VipPool of(IpBlock block) {
        if (block.isSingleAddress()) {
            throw new IllegalArgumentException("no room for automatic addresses in " + block);
        }
        return new VipPool(
                block.masked(), block.masked().address().next(), Collections.emptySortedSet(), Supply.UNKNOWN);
    }
}
