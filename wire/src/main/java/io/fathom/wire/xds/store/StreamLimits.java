// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import java.time.Duration;

/// What one client may cost.
///
/// @param names most names in one request, and most that a stream may subscribe to one by one
/// @param types most types on one stream
/// @param chunkBytes a response with more resources than fit into this is split
/// @param policyWait how long the first addresses wait for a subscription to policies, so that policies go first
public record StreamLimits(int names, int types, int chunkBytes, Duration policyWait) {
    public static final StreamLimits DEFAULT = new StreamLimits(2_000_000, 64, 32 * 1024 * 1024, Duration.ofMillis(20));

    public StreamLimits {
        if (names < 1 || types < 1 || chunkBytes < 1 || policyWait.isNegative()) {
            throw new IllegalArgumentException("limits of a stream must be positive");
        }
    }
}
