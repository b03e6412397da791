// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.sds;

import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsCertificate;
import io.fathom.base.lang.Problem;
import io.fathom.control.gateway.CredentialCheck;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.core.SecretText;
import io.fathom.wire.kube.manifest.Manifest;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// What stands behind the names of certificates, in Envoy's words. Pure. Whoever shows resources on a page must not
/// show these.
public final class SecretResources {
    private SecretResources() {}

    /// What to send, or why it cannot be.
    public sealed interface SecretLookup {
        record Found(Secret secret) implements SecretLookup {}

        record Bad(Problem problem) implements SecretLookup {}
    }

    /// The half of the object that the name asks for.
    ///
    /// @param resource how the proxy wrote the name
    public static SecretLookup of(String resource, SecretName name, Manifest object) {
        return switch (name.half()) {
            case KEY_PAIR ->
                object instanceof CredentialManifest credential
                                && credential.keyPair().isPresent()
                        ? keyPair(resource, name, credential.keyPair().get())
                        : bad(name, "it has no certificate and key", "add the entries tls.crt and tls.key");
            case AUTHORITIES ->
                switch (object) {
                    case CredentialManifest credential
                    when credential.authorities().isPresent() ->
                        authorities(
                                resource,
                                name,
                                credential.authorities().get().reveal(),
                                credential.revocations().map(SecretText::reveal));
                    case CaBundleManifest bundle -> authorities(resource, name, bundle.pem(), Optional.empty());
                    default -> bad(name, "it has no certificates of authorities", "add the entry ca.crt");
                };
        };
    }

    private static SecretLookup keyPair(String resource, SecretName name, CredentialManifest.KeyPair pair) {
        var fault = CredentialCheck.fault(pair);
        if (fault.isPresent()) {
            return bad(name, fault.get(), "put the certificate, then those of its issuers, and its own key");
        }
        return new SecretLookup.Found(Secret.newBuilder()
                .setName(resource)
                .setTlsCertificate(TlsCertificate.newBuilder()
                        .setCertificateChain(inline(pair.chain().reveal()))
                        .setPrivateKey(inline(pair.key().reveal())))
                .build());
    }

    private static SecretLookup authorities(
            String resource, SecretName name, String certificates, Optional<String> revocations) {
        var fault = CredentialCheck.fault(certificates);
        if (fault.isPresent()) {
            return bad(name, fault.get(), "put certificates, one after the other");
        }
        var context = CertificateValidationContext.newBuilder().setTrustedCa(inline(certificates));
        revocations.ifPresent(list -> context.setCrl(inline(list)));
        return new SecretLookup.Found(Secret.newBuilder()
                .setName(resource)
                .setValidationContext(context)
                .build());
    }

    private static SecretLookup bad(SecretName name, String what, String fix) {
        var kind = name.store() == SecretName.Store.CONFIG_MAP ? "ConfigMap" : "Secret";
        return new SecretLookup.Bad(Problem.ofInput(
                "credential-unusable", "%s %s/%s: %s".formatted(kind, name.namespace(), name.name(), what), fix));
    }

    private static DataSource inline(String pem) {
        return DataSource.newBuilder()
                .setInlineBytes(ByteString.copyFrom(pem, StandardCharsets.ISO_8859_1))
                .build();
    }
}
