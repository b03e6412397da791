// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.TlsIdentity;

/// Hears of certificates as they come and go, so that what was made of an old one can be made anew. Called on the
/// thread that fetched it or gave it up, in order for one identity; must not block.
public interface CertificateListener {
    /// The first certificate of an identity, or one that takes the place of another.
    void renewed(Identity identity, TlsIdentity certificate);

    /// No workload of the identity is left.
    default void forgotten(Identity identity) {}
}
