package io.fathom.wire.kube;

import java.util.Optional;

/// A Secret with what proxies prove who they are with, or know others by. Nothing else of a Secret is kept.
///
/// @param keyPair absent when it holds only certificates of authorities
/// @param authorities certificates of those who may sign
/// @param revocations lists of certificates that no longer count
public record CredentialManifest(
        Metadata metadata,
        Optional<KeyPair> keyPair,
        Optional<SecretText> authorities,
        Optional<SecretText> revocations)
        implements Manifest {

    /// In PEM form.
    public record KeyPair(SecretText chain, SecretText key) {}
}
