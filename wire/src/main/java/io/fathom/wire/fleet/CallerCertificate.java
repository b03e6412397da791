// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;

/// Notes who calls: the handshake has verified the certificate, if there is one.
final class CallerCertificate implements ServerInterceptor {
    private static final Context.Key<Optional<X509Certificate>> CERTIFICATE = Context.key("fleet-caller");
    private static final Context.Key<String> PEER = Context.key("fleet-peer");

    /// @throws StatusException when the caller has shown none
    static X509Certificate current() throws StatusException {
        var certificate = CERTIFICATE.get();
        if (certificate == null || certificate.isEmpty()) {
            throw Status.UNAUTHENTICATED
                    .withDescription("certificate-required: only agents with a certificate of this fleet may call this")
                    .asException();
        }
        return certificate.get();
    }

    static String peer() {
        return String.valueOf(PEER.get());
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        var context = Context.current()
                .withValue(CERTIFICATE, of(call.getAttributes()))
                .withValue(PEER, String.valueOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)));
        return Contexts.interceptCall(context, call, headers, next);
    }

    /// What was shown and verified in the handshake of a connection.
    static Optional<X509Certificate> of(Attributes attributes) {
        var session = attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        if (session == null) {
            return Optional.empty();
        }
        try {
            return session.getPeerCertificates()[0] instanceof X509Certificate leaf
                    ? Optional.of(leaf)
                    : Optional.empty();
        } catch (SSLPeerUnverifiedException e) {
            return Optional.empty();
        }
    }
}
