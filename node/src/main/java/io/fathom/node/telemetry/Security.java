// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

/// Whether both ends were verified.
public enum Security {
    UNKNOWN("unknown"),
    MUTUAL_TLS("mutual_tls");

    private final String label;

    Security(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
