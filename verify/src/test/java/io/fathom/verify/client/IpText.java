// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.client;

import java.util.HexFormat;

/// Address bytes as people write them: RFC 5952 for IPv6. Written apart from the one in `model` on purpose.
final class IpText {
    private IpText() {}

    static String of(byte[] bytes) {
        return switch (bytes.length) {
            case 4 -> v4(bytes, 0);
            case 16 -> v6(bytes);
            default -> "not an address: " + HexFormat.of().formatHex(bytes);
        };
    }

    private static String v4(byte[] bytes, int from) {
        return (bytes[from] & 0xff)
                + "."
                + (bytes[from + 1] & 0xff)
                + "."
                + (bytes[from + 2] & 0xff)
                + "."
                + (bytes[from + 3] & 0xff);
    }

    private static String v6(byte[] bytes) {
        var groups = new int[8];
        for (var i = 0; i < 8; i++) {
            groups[i] = ((bytes[2 * i] & 0xff) << 8) | (bytes[2 * i + 1] & 0xff);
        }
        if (groups[0] == 0 && groups[1] == 0 && groups[2] == 0 && groups[3] == 0 && groups[4] == 0) {
            if (groups[5] == 0xffff) {
                return "::ffff:" + v4(bytes, 12);
            }
        }
        var gap = longestZeroRun(groups);
        var text = new StringBuilder();
        for (var i = 0; i < 8; i++) {
            if (i == gap[0]) {
                text.append("::");
                i += gap[1] - 1;
            } else {
                if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }

    /// Start and length of the first longest run of at least two zero groups; start -1 when there is none.
    private static int[] longestZeroRun(int[] groups) {
        var best = new int[] {-1, 1};
        for (var i = 0; i < 8; i++) {
            var end = i;
            while (end < 8 && groups[end] == 0) {
                end++;
            }
            if (end - i > best[1]) {
                best = new int[] {i, end - i};
            }
            i = Math.max(i, end - 1);
        }
        return best;
    }
}
