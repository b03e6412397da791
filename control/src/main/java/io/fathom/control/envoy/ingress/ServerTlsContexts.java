// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.config.core.v3.TransportSocket;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext.TrustChainVerification;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.CombinedCertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.SubjectAltNameMatcher;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.SubjectAltNameMatcher.SanType;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsCertificate;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsParameters;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsParameters.TlsProtocol;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.fathom.control.envoy.cluster.Compliance;
import io.fathom.control.envoy.ingress.IngressServer.ServerTraffic;
import io.fathom.control.envoy.ingress.ServerSecurity.Authorities;
import io.fathom.control.envoy.ingress.ServerSecurity.Clients;
import io.fathom.control.envoy.ingress.ServerSecurity.Demand;
import io.fathom.control.envoy.ingress.ServerSecurity.Proof;
import io.fathom.control.envoy.sds.SecretSources;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls.Version;
import java.util.List;
import java.util.stream.Stream;

/// How servers end TLS, in Envoy's words. Pure.
final class ServerTlsContexts {
    private static final List<SanType> SAN_TYPES = List.of(SanType.DNS, SanType.URI, SanType.EMAIL, SanType.IP_ADDRESS);

    private ServerTlsContexts() {}

    static TransportSocket socket(ServerSecurity security, ServerTraffic traffic, IngressProxy proxy) {
        var common = CommonTlsContext.newBuilder()
                .setTlsParams(Compliance.enforce(proxy.keyExchange(), parameters(security)));
        if (traffic == ServerTraffic.HTTPS) {
            common.addAlpnProtocols("h2").addAlpnProtocols("http/1.1");
        }
        switch (security.proof()) {
            case Proof.Credentials credentials ->
                credentials
                        .names()
                        .forEach(name ->
                                common.addTlsCertificateSdsSecretConfigs(SecretSources.of(name, proxy.secrets())));
            case Proof.OfMesh() ->
                common.addTlsCertificateSdsSecretConfigs(SecretSources.of(SecretSources.OWN, proxy.secrets()));
            case Proof.Files files ->
                common.addTlsCertificates(TlsCertificate.newBuilder()
                        .setCertificateChain(file(files.chain()))
                        .setPrivateKey(file(files.key())));
        }
        validation(common, security, proxy);
        var context = DownstreamTlsContext.newBuilder()
                .setCommonTlsContext(common)
                .setRequireClientCertificate(BoolValue.of(security.clients().demand() == Demand.REQUIRED));
        return TransportSocket.newBuilder()
                .setName("envoy.transport_sockets.tls")
                .setTypedConfig(Any.pack(context.build()))
                .build();
    }

    private static void validation(CommonTlsContext.Builder common, ServerSecurity security, IngressProxy proxy) {
        var clients = security.clients();
        if (clients.authorities().isEmpty()) {
            return;
        }
        var rules = CertificateValidationContext.newBuilder()
                .addAllMatchTypedSubjectAltNames(
                        names(security, proxy.trustDomains()).toList())
                .addAllVerifyCertificateSpki(clients.spki())
                .addAllVerifyCertificateHash(clients.hashes());
        if (clients.demand() == Demand.LOOKED_AT) {
            rules.setTrustChainVerification(TrustChainVerification.ACCEPT_UNTRUSTED);
        }
        switch (clients.authorities().get()) {
            case Authorities.Named(String name) ->
                common.setCombinedValidationContext(CombinedCertificateValidationContext.newBuilder()
                        .setDefaultValidationContext(rules)
                        .setValidationContextSdsSecretConfig(SecretSources.of(name, proxy.secrets())));
            case Authorities.File(String path) -> common.setValidationContext(rules.setTrustedCa(file(path)));
        }
    }

    /// Clients with the mesh's own certificates must be of a trust domain; others have the names that are asked for.
    private static Stream<SubjectAltNameMatcher> names(ServerSecurity security, List<String> trustDomains) {
        Clients clients = security.clients();
        if (clients.subjectAltNames().isEmpty()) {
            return security.proof() instanceof Proof.OfMesh
                    ? trustDomains.stream()
                            .map(domain -> SubjectAltNameMatcher.newBuilder()
                                    .setSanType(SanType.URI)
                                    .setMatcher(StringMatcher.newBuilder().setPrefix("spiffe://" + domain + "/"))
                                    .build())
                    : Stream.empty();
        }
        return clients.subjectAltNames().stream()
                .flatMap(name -> SAN_TYPES.stream()
                        .map(type -> SubjectAltNameMatcher.newBuilder()
                                .setSanType(type)
                                .setMatcher(StringMatcher.newBuilder().setExact(name))
                                .build()));
    }

    private static TlsParameters.Builder parameters(ServerSecurity security) {
        return TlsParameters.newBuilder()
                .setTlsMinimumProtocolVersion(version(security.least(), TlsProtocol.TLSv1_2))
                .setTlsMaximumProtocolVersion(version(security.most(), TlsProtocol.TLSv1_3))
                .addAllCipherSuites(CipherSuites.known(security.cipherSuites()));
    }

    private static TlsProtocol version(Version version, TlsProtocol usual) {
        return switch (version) {
            case TLS_AUTO -> usual;
            case TLSV1_0 -> TlsProtocol.TLSv1_0;
            case TLSV1_1 -> TlsProtocol.TLSv1_1;
            case TLSV1_2 -> TlsProtocol.TLSv1_2;
            case TLSV1_3 -> TlsProtocol.TLSv1_3;
        };
    }

    private static DataSource file(String path) {
        return DataSource.newBuilder().setFilename(path).build();
    }
}
