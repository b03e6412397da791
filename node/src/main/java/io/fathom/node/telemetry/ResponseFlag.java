// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

/// Why a connection did not end well, in upstream's words.
public enum ResponseFlag {
    NONE("-"),
    /// Policies forbid it.
    DENY("DENY"),
    /// The destination does not answer, or refuses.
    CONNECT("CONNECT"),
    TLS_FAILURE("TLS_FAILURE"),
    H2_HANDSHAKE_FAILURE("H2_HANDSHAKE_FAILURE"),
    /// The HBONE port does not answer: most likely something between the pods drops it.
    NETWORK_POLICY("NETWORK_POLICY"),
    /// There is no certificate for the client's own identity (yet).
    IDENTITY_ERROR("IDENTITY_ERROR"),
    CERT_REVOKED("CERT_REVOKED");

    private final String label;

    ResponseFlag(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
