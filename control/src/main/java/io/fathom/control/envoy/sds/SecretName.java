// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.sds;

import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The name under which a proxy asks for a certificate, and what it stands for.
///
/// @param namespace of the object
/// @param name of the object, for authorities possibly still with [#AUTHORITIES_SUFFIX]
public record SecretName(Store store, String namespace, String name, Half half) {
    /// What people add to the name of a credential to mean the authorities that belong to it.
    public static final String AUTHORITIES_SUFFIX = "-cacert";

    /// For a reference that leads nowhere: nobody ever answers, so nothing is let through.
    public static final String INVALID = "invalid://";

    private static final String KUBERNETES = "kubernetes://";
    private static final String GATEWAY = "kubernetes-gateway://";
    private static final String CONFIG_MAP = "configmap://";

    /// Where it is kept.
    public enum Store {
        /// A Secret beside the proxy.
        SECRET(KUBERNETES),
        /// A Secret anywhere; that the proxy may have it was checked when the name was written.
        GRANTED_SECRET(GATEWAY),
        CONFIG_MAP(SecretName.CONFIG_MAP);

        private final String prefix;

        Store(String prefix) {
            this.prefix = prefix;
        }
    }

    /// Which half of it.
    public enum Half {
        KEY_PAIR,
        AUTHORITIES
    }

    /// A key and its certificate.
    public static SecretName keyPair(Store store, ObjectKey object) {
        return new SecretName(store, object.namespace(), object.name(), Half.KEY_PAIR);
    }

    /// Certificates of authorities in the same object, or in one named alike.
    public static SecretName authorities(Store store, ObjectKey object) {
        return new SecretName(store, object.namespace(), object.name(), Half.AUTHORITIES);
    }

    /// What a resource name means to a proxy of that namespace; empty for names that are not ours to answer.
    public static Optional<SecretName> parse(String text, String proxyNamespace) {
        return Stream.of(Store.values())
                .filter(store -> text.startsWith(store.prefix))
                .findFirst()
                .flatMap(store -> parse(store, text.substring(store.prefix.length()), proxyNamespace));
    }

    private static Optional<SecretName> parse(Store store, String path, String proxyNamespace) {
        var slash = path.indexOf('/');
        var namespace = slash < 0 ? proxyNamespace : path.substring(0, slash);
        var name = path.substring(slash + 1);
        var half = name.endsWith(AUTHORITIES_SUFFIX) ? Half.AUTHORITIES : Half.KEY_PAIR;
        var bare = half == Half.AUTHORITIES ? withoutSuffix(name) : name;
        return namespace.isEmpty() || bare.isEmpty() || bare.indexOf('/') >= 0
                ? Optional.empty()
                : Optional.of(new SecretName(store, namespace, bare, half));
    }

    private static String withoutSuffix(String name) {
        return name.substring(0, name.length() - AUTHORITIES_SUFFIX.length());
    }

    /// The objects that may hold it, the first that there is counts.
    public List<ManifestId> objects(String cluster) {
        var kind = store == Store.CONFIG_MAP ? CaBundleManifest.class : CredentialManifest.class;
        var plain = new ManifestId(kind, new ObjectKey(cluster, namespace, name));
        return half == Half.AUTHORITIES
                ? List.of(new ManifestId(kind, new ObjectKey(cluster, namespace, name + AUTHORITIES_SUFFIX)), plain)
                : List.of(plain);
    }

    /// The name of the resource, as proxies of its namespace write it.
    @Override
    public String toString() {
        return store.prefix
                + (store == Store.SECRET ? "" : namespace + "/")
                + name
                + (half == Half.AUTHORITIES ? AUTHORITIES_SUFFIX : "");
    }
}
