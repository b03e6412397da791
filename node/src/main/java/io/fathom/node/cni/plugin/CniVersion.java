// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import io.fathom.node.cni.plugin.CniException.Code;
import java.util.Arrays;
import java.util.List;

/// The versions of the CNI protocol that are spoken, oldest first.
enum CniVersion {
    V0_1_0("0.1.0"),
    V0_2_0("0.2.0"),
    V0_3_0("0.3.0"),
    V0_3_1("0.3.1"),
    V0_4_0("0.4.0"),
    V1_0_0("1.0.0"),
    V1_1_0("1.1.0");

    static final CniVersion NEWEST = V1_1_0;

    private final String text;

    CniVersion(String text) {
        this.text = text;
    }

    /// What a network configuration says; without a version it is of the time when there was one only.
    static CniVersion of(String text) {
        if (text.isEmpty()) {
            return V0_1_0;
        }
        for (var version : values()) {
            if (version.text.equals(text)) {
                return version;
            }
        }
        throw new CniException(
                Code.INCOMPATIBLE_VERSION,
                "incompatible CNI versions",
                "config is \"" + text + "\", plugin supports " + all());
    }

    static List<String> all() {
        return Arrays.stream(values()).map(CniVersion::toString).toList();
    }

    @Override
    public String toString() {
        return text;
    }
}
