// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

/// How much of the past a [ResourceStore] remembers for clients that lag behind.
///
/// @param steps published batches kept as such
/// @param changes resources changed or removed in all of those
/// @param tombstones removed names kept for clients that are further behind
public record StoreLimits(int steps, int changes, int tombstones) {
    public static final StoreLimits DEFAULT = new StoreLimits(1_024, 50_000, 100_000);

    public StoreLimits {
        if (steps < 1 || changes < 1 || tombstones < 0) {
            throw new IllegalArgumentException("a log needs room for at least one change");
        }
    }
}
