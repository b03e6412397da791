// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

/// What is held of one cluster, in short: equal where the same is held, whatever came in which order.
///
/// @param sum of [ServiceFact#hash64]
public record OriginDigest(int origin, long count, long sum) {
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
