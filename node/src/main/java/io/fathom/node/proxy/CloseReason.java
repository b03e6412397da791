// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.node.telemetry.ResponseFlag;

/// Why an open connection is ended by us.
public enum CloseReason {
    POLICY_CHANGED(ResponseFlag.DENY, "connection closed due to policy change"),
    CERTIFICATE_REVOKED(ResponseFlag.CERT_REVOKED, "connection closed due to a revoked certificate"),
    DRAINED(ResponseFlag.NONE, "connection closed due to connection drain");

    private final ResponseFlag flag;
    private final String message;

    CloseReason(ResponseFlag flag, String message) {
        this.flag = flag;
        this.message = message;
    }

    public ResponseFlag flag() {
        return flag;
    }

    public String message() {
        return message;
    }
}
