package io.fathom.wire.tls;

/// Mutual TLS between workloads: TLS 1.3 with SPIFFE identities, by BoringSSL.
public final class MeshTls {
    public MeshTls(PeerRules rules) {}
}
