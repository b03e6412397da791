// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.gateway.ReferenceGrantManifest;
import io.fathom.wire.kube.gateway.ReferenceGrantManifest.From;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Secrets and ConfigMaps with certificates, each looked at once however many listeners name it.
final class CertificateTables {
    private static final String BESIDE = "-cacert";

    private final Inputs inputs;
    private final Index<String, ObjectKey, ReferenceGrantManifest> grants;
    private final Table<ObjectKey, CheckedSecret> secrets;
    private final Table<ObjectKey, CheckedBundle> bundles;

    /// @param absent what was asked for by name and is not there
    /// @param sources whether what is neither there nor known to be absent may still come
    record Inputs(
            Table<ObjectKey, CredentialManifest> credentials,
            Table<ObjectKey, CaBundleManifest> bundles,
            Table<ObjectKey, ReferenceGrantManifest> grants,
            Table<ManifestId, ManifestId> absent,
            SecretsSource sources) {}

    /// What is wrong with a Secret; nothing of its contents.
    private record CheckedSecret(String type, Optional<String> key, Optional<String> authorities) {}

    private record CheckedBundle(Optional<String> fault) {}

    CertificateTables(Flow flow, Inputs inputs) {
        this.inputs = inputs;
        grants = flow.index("gateways/grants-by-namespace", inputs.grants(), grant -> Set.of(grant.namespace()));
        secrets = flow.derive(
                "gateways/checked-secrets", inputs.credentials(), (_, secret) -> Optional.of(check(secret)));
        bundles = flow.derive(
                "gateways/checked-bundles",
                inputs.bundles(),
                (_, bundle) -> Optional.of(new CheckedBundle(CredentialCheck.fault(bundle.pem()))));
    }

    private static CheckedSecret check(CredentialManifest secret) {
        return new CheckedSecret(
                secret.type(),
                secret.keyPair()
                        .map(CredentialCheck::fault)
                        .orElseGet(() -> Optional.of("it needs the entries tls.crt and tls.key")),
                secret.authorities()
                        .map(text -> CredentialCheck.fault(text.reveal()))
                        .orElseGet(() -> Optional.of("it needs the entry ca.crt")));
    }

    /// Whether an object may refer to another.
    boolean permits(Fetch<?> fetch, Certificates.Referrer from, String kind, ObjectKey object) {
        return object.namespace().equals(from.key().namespace())
                || fetch.all(grants, object.namespace()).stream()
                        .filter(grant -> grant.key().cluster().equals(object.cluster()))
                        .anyMatch(grant -> grant.permits(
                                new From(
                                        RouteManifest.GROUP,
                                        from.kind(),
                                        from.key().namespace()),
                                "",
                                kind,
                                object.name()));
    }

    /// What one derivation looks at, remembered by the flow.
    Certificates of(Fetch<?> fetch) {
        return new Tracked(fetch);
    }

    static ObjectKey secretOf(ObjectKey from, CertificateRef reference) {
        return new ObjectKey(from.cluster(), reference.namespaceFor(from.namespace()), reference.name());
    }

    static boolean isSecret(CertificateRef reference) {
        return reference.group().isEmpty() && reference.kind().equals("Secret");
    }

    static boolean isConfigMap(CertificateRef reference) {
        return reference.group().isEmpty() && reference.kind().equals("ConfigMap");
    }

    static ObjectKey beside(ObjectKey secret) {
        return secret.sibling(secret.name() + BESIDE);
    }

    private final class Tracked implements Certificates {
        private final Fetch<?> fetch;

        private Tracked(Fetch<?> fetch) {
            this.fetch = fetch;
        }

        @Override
        public CertificateVerdict judge(Referrer from, CertificateRef reference) {
            if (!isSecret(reference)) {
                return new CertificateVerdict.Invalid(
                        "a certificate and its key are in a Secret, not in a " + reference.kind());
            }
            var key = secretOf(from.key(), reference);
            if (!permits(fetch, from, "Secret", key)) {
                return forbidden(from, "Secret", key);
            }
            return fetch.one(secrets, key)
                    .map(found -> CredentialManifest.mayHoldCertificates(found.type())
                            ? usable("Secret", key, found.key())
                            : new CertificateVerdict.Invalid("Secret %s is of type %s, not %s"
                                    .formatted(key.path(), found.type(), CredentialManifest.TLS)))
                    .orElseGet(() -> missing(CredentialManifest.class, "Secret", key, ""));
        }

        @Override
        public CertificateVerdict judgeAuthority(Referrer from, CertificateRef reference) {
            if (!isSecret(reference) && !isConfigMap(reference)) {
                return new CertificateVerdict.WrongKind(
                        "CA certificates are in ConfigMaps, not in a " + reference.kind());
            }
            var key = secretOf(from.key(), reference);
            if (!permits(fetch, from, reference.kind(), key)) {
                return forbidden(from, reference.kind(), key);
            }
            return isSecret(reference) ? authorities(key) : bundle(key);
        }

        @Override
        public CertificateVerdict judgeBeside(Referrer from, CertificateRef reference) {
            return authorities(secretOf(from.key(), reference));
        }

        /// As proxies get them: those in the neighbour, if there is one.
        private CertificateVerdict authorities(ObjectKey key) {
            var neighbour = beside(key);
            return fetch.one(secrets, neighbour)
                    .map(found -> usable("Secret", neighbour, found.authorities()))
                    .or(() -> fetch.one(secrets, key).map(found -> usable("Secret", key, found.authorities())))
                    .orElseGet(() -> missing(CredentialManifest.class, "Secret", key, ""));
        }

        private CertificateVerdict bundle(ObjectKey key) {
            Function<CheckedBundle, CertificateVerdict> judge = found -> usable("ConfigMap", key, found.fault());
            return fetch.one(bundles, key)
                    .map(judge)
                    .orElseGet(() -> missing(CaBundleManifest.class, "ConfigMap", key, " with an entry ca.crt"));
        }

        private CertificateVerdict usable(String kind, ObjectKey key, Optional<String> fault) {
            return fault.<CertificateVerdict>map(
                            why -> new CertificateVerdict.Invalid("%s %s: %s".formatted(kind, key.path(), why)))
                    .orElseGet(CertificateVerdict.Good::new);
        }

        private CertificateVerdict missing(Class<? extends Manifest> type, String kind, ObjectKey key, String what) {
            var isKnown = inputs.sources() == SecretsSource.COMPLETE
                    || fetch.one(inputs.absent(), new ManifestId(type, key)).isPresent();
            return isKnown
                    ? new CertificateVerdict.Invalid("there is no %s %s%s".formatted(kind, key.path(), what))
                    : new CertificateVerdict.Unknown("%s %s has not been read yet".formatted(kind, key.path()));
        }

        private static CertificateVerdict forbidden(Referrer from, String kind, ObjectKey object) {
            return new CertificateVerdict.Forbidden("no ReferenceGrant in namespace %s lets %ss of %s use %s %s"
                    .formatted(object.namespace(), from.kind(), from.key().namespace(), kind, object.path()));
        }
    }
}
