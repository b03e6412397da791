// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// The names of secrets that hold CA certificates of ConfigMaps, and what is in them. Nothing in them is secret.
public final class CaSecrets {
    private static final String SCHEME = "configmap://";
    private static final String SUFFIX = "-cacert";

    private CaSecrets() {}

    public static String name(ObjectKey configMap) {
        return SCHEME + configMap.path() + SUFFIX;
    }

    /// The ConfigMap that a secret's name means; empty for any other secret.
    public static Optional<ObjectKey> configMap(String cluster, String name) {
        if (!name.startsWith(SCHEME) || !name.endsWith(SUFFIX)) {
            return Optional.empty();
        }
        var parts =
                name.substring(SCHEME.length(), name.length() - SUFFIX.length()).split("/", -1);
        return parts.length == 2 ? Optional.of(new ObjectKey(cluster, parts[0], parts[1])) : Optional.empty();
    }

    public static Secret of(CaBundleManifest bundle) {
        return Secret.newBuilder()
                .setName(name(bundle.key()))
                .setValidationContext(CertificateValidationContext.newBuilder()
                        .setTrustedCa(DataSource.newBuilder().setInlineString(bundle.pem())))
                .build();
    }
}
