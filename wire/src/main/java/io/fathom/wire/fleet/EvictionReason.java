// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

/// Why a management server has closed a connection.
public enum EvictionReason {
    /// Strangers had too many.
    CROWDED("strangers-crowded"),
    /// Strangers at one address had too many.
    CROWDED_ADDRESS("address-crowded"),
    /// A stranger's took too long.
    LINGERING("stranger-lingering"),
    /// A stranger sent too much.
    TOO_MUCH("stranger-oversized"),
    /// One cluster had too many.
    MANY_OF_A_CLUSTER("cluster-crowded");

    private final String code;

    EvictionReason(String code) {
        this.code = code;
    }

    /// As it is in the audit log.
    public String code() {
        return code;
    }
}
