// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.auth;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/// Takes the [Credentials] of a call out of its headers and its transport.
public final class CredentialsReader {
    public static final Metadata.Key<String> AUTHORIZATION = key("authorization");
    public static final Metadata.Key<String> CLUSTER = key("clusterid");
    public static final Metadata.Key<String> FORWARDED = key("x-forwarded-client-cert");

    private static final String BEARER = "Bearer ";

    private CredentialsReader() {}

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    public static Credentials read(Attributes transport, Metadata headers) {
        var session = transport.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        return new Credentials(
                session == null ? Credentials.Channel.PLAINTEXT : Credentials.Channel.TLS,
                certificates(transport),
                bearer(headers.get(AUTHORIZATION)),
                Optional.ofNullable(headers.get(CLUSTER)).filter(name -> !name.isEmpty()),
                Optional.ofNullable(headers.get(FORWARDED)),
                peer(transport));
    }

    private static List<X509Certificate> certificates(Attributes transport) {
        var session = transport.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        if (session == null) {
            return List.of();
        }
        try {
            return Stream.of(session.getPeerCertificates())
                    .map(X509Certificate.class::cast)
                    .toList();
        } catch (SSLPeerUnverifiedException e) {
            return List.of(); // the client showed none, which it may
        }
    }

    private static Optional<String> bearer(@Nullable String header) {
        return Optional.ofNullable(header)
                .filter(value -> value.regionMatches(true, 0, BEARER, 0, BEARER.length()))
                .map(value -> value.substring(BEARER.length()).strip())
                .filter(value -> !value.isEmpty());
    }

    private static Optional<InetAddress> peer(Attributes transport) {
        return transport.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) instanceof InetSocketAddress address
                ? Optional.ofNullable(address.getAddress())
                : Optional.empty();
    }
}
