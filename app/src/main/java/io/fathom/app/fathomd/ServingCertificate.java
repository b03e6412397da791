package io.fathom.app.fathomd;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/// What the TLS port shows its clients.
interface ServingCertificate {
    /// Never logged, never written to a file.
    PrivateKey key();

    /// The leaf first, without the root.
    List<X509Certificate> chain();

    /// What clients must trust to verify the chain.
    X509Certificate root();
}
