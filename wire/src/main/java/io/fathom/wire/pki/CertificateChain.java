// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.util.ArrayList;
import java.util.List;

/// Puts a reply of the certificate service together.
public final class CertificateChain {
    private CertificateChain() {}

    /// The leaf, each intermediate as an element of its own, and all roots together as the last one: clients take the
    /// last element for what they trust.
    public static List<String> of(IssuedCertificate leaf, SigningMaterial signer, TrustPool trust) {
        var chain = new ArrayList<String>();
        chain.add(leaf.pem());
        signer.intermediates().forEach(certificate -> chain.add(Pem.encode(certificate)));
        chain.add(trust.pem());
        return chain;
    }
}
