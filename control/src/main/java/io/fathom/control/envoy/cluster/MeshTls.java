// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.CombinedCertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.SubjectAltNameMatcher;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsParameters;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsParameters.TlsProtocol;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.fathom.wire.sds.TrustSecret;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import java.util.List;

/// How members of the mesh speak TLS with each other: version 1.3, HTTP/2, and only with peers of these trust domains.
///
/// @param source of `default` and `ROOTCA`
/// @param trustDomains the mesh's own and its aliases
/// @param roots which peers are verified with
/// @param keyExchange what all TLS of the proxies is kept to
public record MeshTls(SecretSource source, List<String> trustDomains, PeerRoots roots, KeyExchange keyExchange) {
    /// What peers are verified with.
    public enum PeerRoots {
        /// The proxy's own roots: peers are of its own trust domain.
        OWN,
        /// Those of each trust domain, which the control plane tells: see [TrustSecret].
        OF_EACH_DOMAIN
    }

    public MeshTls {
        trustDomains = List.copyOf(trustDomains);
    }

    public MeshTls(SecretSource source, List<String> trustDomains) {
        this(source, trustDomains, PeerRoots.OWN, KeyExchange.ANY);
    }

    /// For both ends of a connection; a server has to require a certificate besides.
    public CommonTlsContext context() {
        // Envoy's clients speak no more than 1.2 unless told, and peers speak nothing else than 1.3.
        var version = TlsParameters.newBuilder()
                .setTlsMinimumProtocolVersion(TlsProtocol.TLSv1_3)
                .setTlsMaximumProtocolVersion(TlsProtocol.TLSv1_3);
        return CommonTlsContext.newBuilder()
                .addAlpnProtocols("h2")
                .setTlsParams(Compliance.enforce(keyExchange, version))
                .addTlsCertificateSdsSecretConfigs(source.secret("default"))
                .setCombinedValidationContext(
                        switch (roots) {
                            case OWN -> ownPeers();
                            case OF_EACH_DOMAIN -> peersOfDomains();
                        })
                .build();
    }

    private CombinedCertificateValidationContext ownPeers() {
        var peers = CertificateValidationContext.newBuilder();
        for (var domain : trustDomains) {
            peers.addMatchTypedSubjectAltNames(SubjectAltNameMatcher.newBuilder()
                    .setSanType(SubjectAltNameMatcher.SanType.URI)
                    .setMatcher(StringMatcher.newBuilder().setPrefix("spiffe://" + domain + "/")));
        }
        return CombinedCertificateValidationContext.newBuilder()
                .setDefaultValidationContext(peers)
                .setValidationContextSdsSecretConfig(source.secret("ROOTCA"))
                .build();
    }

    /// The secret alone says who counts: so domains come and go without a change of listeners and clusters, which would
    /// end connections.
    private static CombinedCertificateValidationContext peersOfDomains() {
        return CombinedCertificateValidationContext.newBuilder()
                .setDefaultValidationContext(CertificateValidationContext.getDefaultInstance())
                .setValidationContextSdsSecretConfig(SecretSource.CONTROL_PLANE.secret(TrustSecret.NAME))
                .build();
    }
}
