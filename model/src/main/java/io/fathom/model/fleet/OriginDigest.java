// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import java.util.Collection;

/// What is held of one cluster, in short: equal where the same is held, whatever came in which order.
///
/// @param sum of [ServiceFact#hash64]
public record OriginDigest(int origin, long count, long sum) {
    /// Stands for several clusters together; the number of none.
    public static final int ALL_ORIGINS = 0;

    /// What is held of all of these.
    public static OriginDigest total(Collection<OriginDigest> digests) {
        var total = none(ALL_ORIGINS);
        for (var one : digests) {
            total = new OriginDigest(ALL_ORIGINS, total.count + one.count, total.sum + one.sum * (2L * one.origin + 1));
        }
        return total;
    }

    public static OriginDigest none(int origin) {
        return new OriginDigest(origin, 0, 0);
    }

    public OriginDigest plus(long hash) {
        return new OriginDigest(origin, count + 1, sum + hash);
    }

    public OriginDigest minus(long hash) {
        return new OriginDigest(origin, count - 1, sum - hash);
    }
}
