// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.util.regex.Pattern;

/// UIDs become words of commands, so nothing that could end the word.
final class PodUid {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._-]{1,120}");

    private PodUid() {}

    static String require(String uid) {
        if (!PLAIN.matcher(uid).matches()) {
            throw new IllegalArgumentException("no UID of a pod: " + uid);
        }
        return uid;
    }
}
