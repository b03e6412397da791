// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import java.util.Arrays;

/// How many ranges there are of each length, so that a lookup only tries lengths that exist. Immutable.
final class PrefixLengths {
    static final PrefixLengths NONE = new PrefixLengths(new int[33], new int[129]);

    private final int[] v4;
    private final int[] v6;

    private PrefixLengths(int[] v4, int[] v6) {
        this.v4 = v4;
        this.v6 = v6;
    }

    PrefixLengths plus(IpBlock block, int count) {
        if (count == 0) {
            return this;
        }
        var isV4 = block.address().family() == Ip.Family.V4;
        var counts = (isV4 ? v4 : v6).clone();
        counts[block.length()] += count;
        return isV4 ? new PrefixLengths(counts, v6) : new PrefixLengths(v4, counts);
    }

    /// The next shorter length in use below this one; -1 when there is none.
    int below(Ip.Family family, int length) {
        var counts = family == Ip.Family.V4 ? v4 : v6;
        for (int next = length - 1; next >= 0; next--) {
            if (counts[next] > 0) {
                return next;
            }
        }
        return -1;
    }

    @Override
    public String toString() {
        return Arrays.toString(v4) + Arrays.toString(v6);
    }
}
