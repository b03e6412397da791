// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/// The `traceparent` header of a trace that begins here and is not sampled.
public final class TraceParent {
    private static final HexFormat HEX = HexFormat.of();

    private TraceParent() {}

    public static String random() {
        var random = ThreadLocalRandom.current();
        return "00-" + HEX.toHexDigits(random.nextLong()) + HEX.toHexDigits(random.nextLong() | 1) + "-"
                + HEX.toHexDigits(random.nextLong() | 1) + "-00"; // ids of zeros only are not valid
    }
}
