// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.config.core.v3.UpstreamHttpProtocolOptions;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext.TrustChainVerification;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.CombinedCertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.SubjectAltNameMatcher;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.SubjectAltNameMatcher.SanType;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsCertificate;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsParameters;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsParameters.TlsProtocol;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.fathom.control.envoy.cluster.BackendTls.Authorities;
import io.fathom.control.envoy.cluster.ProtocolOptions.Speech;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest.AltName;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientTls;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientTls.Mode;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientTls.Verification;
import java.util.Optional;

/// TLS that users ask for towards a service; inside the tunnel when there is one. Pure.
///
/// @param names what is to be taken from each request, if anything
record UpstreamTls(UpstreamTlsContext context, Optional<UpstreamHttpProtocolOptions> names) {
    private static final UpstreamHttpProtocolOptions BY_REQUEST = UpstreamHttpProtocolOptions.newBuilder()
            .setAutoSni(true)
            .setAutoSanValidation(true)
            .build();
    private static final UpstreamHttpProtocolOptions NAME_BY_REQUEST =
            UpstreamHttpProtocolOptions.newBuilder().setAutoSni(true).build();
    private static final UpstreamHttpProtocolOptions PROOF_BY_REQUEST =
            UpstreamHttpProtocolOptions.newBuilder().setAutoSanValidation(true).build();

    /// Of a DestinationRule. Between members of the mesh the tunnel is all the TLS that they need.
    static Optional<UpstreamTls> of(ClientTls tls, Speech speech, ProxySettings settings) {
        if (tls.mode() == Mode.DISABLE || tls.mode() == Mode.ISTIO_MUTUAL) {
            return Optional.empty();
        }
        var context = context(speech, settings);
        if (tls.mode() == Mode.MUTUAL) {
            if (tls.credentialName().isEmpty()) {
                context.addTlsCertificates(TlsCertificate.newBuilder()
                        .setCertificateChain(file(tls.clientCertificate()))
                        .setPrivateKey(file(tls.privateKey())));
            } else {
                context.addTlsCertificateSdsSecretConfigs(settings.secrets().secret(UpstreamCredentials.keyPair(tls)));
            }
        }
        validate(context, tls, settings);
        return Optional.of(new UpstreamTls(
                UpstreamTlsContext.newBuilder()
                        .setCommonTlsContext(context)
                        .setSni(tls.sni())
                        .build(),
                names(tls)));
    }

    private static void validate(CommonTlsContext.Builder context, ClientTls tls, ProxySettings settings) {
        var validation = CertificateValidationContext.newBuilder();
        tls.subjectAltNames().forEach(name -> validation.addMatchTypedSubjectAltNames(matcher(name)));
        if (tls.verification() == Verification.SKIPPED) {
            context.setValidationContext(CertificateValidationContext.newBuilder()
                    .setTrustChainVerification(TrustChainVerification.ACCEPT_UNTRUSTED));
        } else if (!tls.credentialName().isEmpty()) {
            context.setCombinedValidationContext(CombinedCertificateValidationContext.newBuilder()
                    .setDefaultValidationContext(validation)
                    .setValidationContextSdsSecretConfig(
                            settings.secrets().secret(UpstreamCredentials.authorities(tls))));
        } else {
            var roots = tls.caCertificates().isEmpty() || tls.caCertificates().equals("system")
                    ? settings.systemRoots()
                    : tls.caCertificates();
            context.setValidationContext(validation.setTrustedCa(file(roots)));
        }
    }

    private static Optional<UpstreamHttpProtocolOptions> names(ClientTls tls) {
        var proves = tls.subjectAltNames().isEmpty() && tls.verification() == Verification.REQUIRED;
        if (tls.sni().isEmpty()) {
            return Optional.of(proves ? BY_REQUEST : NAME_BY_REQUEST);
        }
        return proves ? Optional.of(PROOF_BY_REQUEST) : Optional.empty();
    }

    /// Of a BackendTLSPolicy.
    static UpstreamTls of(BackendTls tls, Speech speech, ProxySettings settings) {
        var validation = CertificateValidationContext.newBuilder();
        if (tls.names().isEmpty()) {
            validation.addMatchTypedSubjectAltNames(matcher(SanType.DNS, tls.hostname()));
        }
        tls.names()
                .forEach(name -> validation.addMatchTypedSubjectAltNames(
                        matcher(name.type() == AltName.Type.URI ? SanType.URI : SanType.DNS, name.value())));
        var context = context(speech, settings);
        settings.clientCertificate()
                .ifPresent(name -> context.addTlsCertificateSdsSecretConfigs(
                        settings.secrets().secret(name)));
        switch (tls.authorities()) {
            case Authorities.SystemRoots() ->
                context.setValidationContext(validation.setTrustedCa(file(settings.systemRoots())));
            case Authorities.Inline(var pem) ->
                context.setValidationContext(
                        validation.setTrustedCa(DataSource.newBuilder().setInlineString(pem)));
            case Authorities.Bundle(var configMap) -> byName(context, validation, CaSecrets.name(configMap), settings);
            case Authorities.Nobody _ ->
                // A secret that nobody ever sends: Envoy does not connect without it.
                byName(context, validation, "invalid://" + tls.policy().path(), settings);
        }
        return new UpstreamTls(
                UpstreamTlsContext.newBuilder()
                        .setCommonTlsContext(context)
                        .setSni(tls.hostname())
                        .build(),
                Optional.empty());
    }

    private static void byName(
            CommonTlsContext.Builder context,
            CertificateValidationContext.Builder validation,
            String name,
            ProxySettings settings) {
        context.setCombinedValidationContext(CombinedCertificateValidationContext.newBuilder()
                .setDefaultValidationContext(validation)
                .setValidationContextSdsSecretConfig(settings.secrets().secret(name)));
    }

    private static CommonTlsContext.Builder context(Speech speech, ProxySettings settings) {
        var parameters = TlsParameters.newBuilder()
                .setTlsMinimumProtocolVersion(TlsProtocol.TLSv1_2)
                .setTlsMaximumProtocolVersion(TlsProtocol.TLSv1_3);
        var context = CommonTlsContext.newBuilder()
                .setTlsParams(Compliance.enforce(settings.tls().keyExchange(), parameters));
        if (speech == Speech.HTTP2) {
            context.addAlpnProtocols("h2");
        }
        return context;
    }

    private static SubjectAltNameMatcher matcher(String name) {
        if (name.contains("://")) {
            return matcher(SanType.URI, name);
        }
        return matcher(Ip.parse(name).isPresent() ? SanType.IP_ADDRESS : SanType.DNS, name);
    }

    private static SubjectAltNameMatcher matcher(SanType type, String name) {
        return SubjectAltNameMatcher.newBuilder()
                .setSanType(type)
                .setMatcher(StringMatcher.newBuilder().setExact(name))
                .build();
    }

    private static DataSource file(String path) {
        return DataSource.newBuilder().setFilename(path).build();
    }
}
