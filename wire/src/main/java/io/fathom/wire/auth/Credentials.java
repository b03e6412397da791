// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.auth;

import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/// What a caller presented with a gRPC call. Only the certificates have been verified, by the handshake.
///
/// @param certificates the client's chain, leaf first; empty without a client certificate
/// @param bearerToken without its `Bearer` prefix; never printed
/// @param clusterId the cluster the caller says it is in; empty means the one we run in
/// @param forwardedCertificate the `x-forwarded-client-cert` header
/// @param peer the address the connection comes from
public record Credentials(
        Channel channel,
        List<X509Certificate> certificates,
        Optional<String> bearerToken,
        Optional<String> clusterId,
        Optional<String> forwardedCertificate,
        Optional<InetAddress> peer) {

    /// How the call came in.
    public enum Channel {
        PLAINTEXT,
        TLS
    }

    public Credentials {
        certificates = List.copyOf(certificates);
    }

    @Override
    public String toString() {
        return "Credentials[" + channel + ", certificates=" + certificates.size() + ", bearerToken="
                + (bearerToken.isPresent() ? "***" : "none") + ", clusterId=" + clusterId.orElse("")
                + ", forwardedCertificate=" + forwardedCertificate.isPresent() + ", peer="
                + peer.map(InetAddress::getHostAddress).orElse("unknown") + "]";
    }
}
