// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.node.telemetry.ResponseFlag;
import io.fathom.wire.hbone.HboneFailure;

/// How a failure of a tunnel is counted.
public final class Flags {
    private static final int UNAUTHORIZED = 401;

    private Flags() {}

    public static ResponseFlag of(HboneFailure failure) {
        return switch (failure) {
            case HboneFailure.CertificateMissing missing -> ResponseFlag.IDENTITY_ERROR;
            case HboneFailure.DialTimeout timeout -> ResponseFlag.NETWORK_POLICY;
            case HboneFailure.DialFailed failed -> ResponseFlag.CONNECT;
            case HboneFailure.TlsFailed failed -> ResponseFlag.TLS_FAILURE;
            case HboneFailure.WrongPeer wrong -> ResponseFlag.TLS_FAILURE;
            case HboneFailure.HandshakeTimeout timeout -> ResponseFlag.TLS_FAILURE;
            case HboneFailure.Revoked revoked -> ResponseFlag.CERT_REVOKED;
            case HboneFailure.Http2Failed failed -> ResponseFlag.H2_HANDSHAKE_FAILURE;
            case HboneFailure.ReplyTimeout timeout -> ResponseFlag.CONNECT;
            case HboneFailure.Refused refused ->
                refused.status() == UNAUTHORIZED ? ResponseFlag.DENY : ResponseFlag.CONNECT;
            case HboneFailure.Closed closed -> ResponseFlag.NONE;
        };
    }
}
