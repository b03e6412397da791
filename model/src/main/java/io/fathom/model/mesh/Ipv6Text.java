// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

/// RFC 5952: lower case, no leading zeros, the longest run of two or more zero groups shortened.
final class Ipv6Text {
    private Ipv6Text() {}

    static String of(long high, long low) {
        if (high == 0 && low >>> 32 == 0xffff) {
            return "::ffff:" + new Ip(0, low & 0xffff_ffffL, Ip.Family.V4);
        }
        var groups = new int[8];
        for (int i = 0; i < 8; i++) {
            groups[i] = (int) ((i < 4 ? high >>> (48 - 16 * i) : low >>> (112 - 16 * i)) & 0xffff);
        }
        int runStart = -1;
        int runLength = 1;
        for (int i = 0; i < 8; i++) {
            int end = i;
            while (end < 8 && groups[end] == 0) {
                end++;
            }
            if (end - i > runLength) {
                runStart = i;
                runLength = end - i;
            }
            i = Math.max(i, end - 1);
        }
        var text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (i == runStart) {
                text.append("::");
                i += runLength - 1;
            } else {
                if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }
}
