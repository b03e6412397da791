// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.Optional;
import java.util.Set;

/// A Secret with what proxies prove who they are with, or know others by. Of Secrets without that only the type is
/// kept.
///
/// @param type as Kubernetes calls it, such as `kubernetes.io/tls`; empty when not set
/// @param keyPair absent when it holds only certificates of authorities
/// @param authorities certificates of those who may sign
/// @param revocations lists of certificates that no longer count
public record CredentialManifest(
        Metadata metadata,
        String type,
        Optional<KeyPair> keyPair,
        Optional<SecretText> authorities,
        Optional<SecretText> revocations)
        implements Manifest {
    public static final String TLS = "kubernetes.io/tls";
    private static final Set<String> TYPES = Set.of("", "Opaque", TLS);

    /// Whether a Secret of that type may hold certificates. Others hold other things, such as tokens.
    public static boolean mayHoldCertificates(String type) {
        return TYPES.contains(type);
    }

    /// In PEM form.
    public record KeyPair(SecretText chain, SecretText key) {}
}
