// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.tls;

import java.security.cert.CertificateException;

/// Why a handshake was given up by our side. Has no stack trace: peers can cause as many as they like.
public final class PeerRejected extends CertificateException {
    /// What was wrong with the peer.
    public enum Reason {
        CHAIN,
        IDENTITY,
        REVOKED
    }

    private final Reason reason;

    PeerRejected(String message, Reason reason) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
