// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import java.time.Duration;

/// When changes are pushed: at once after a pause, merged under load.
///
/// @param quiet after a push, changes wait until nothing new has come for so long
/// @param longest but never longer than this
public record Pacing(Duration quiet, Duration longest) {
    public static final Pacing DEFAULT = new Pacing(Duration.ofMillis(1), Duration.ofMillis(10));

    public Pacing {
        if (quiet.isNegative() || longest.compareTo(quiet) < 0) {
            throw new IllegalArgumentException("the longest wait must not be shorter than the quiet time");
        }
    }
}
