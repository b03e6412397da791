// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.TlsIdentity;

/// Whoever gives certificates. Called on virtual threads, so it may block; several at a time.
@FunctionalInterface
public interface CertificateSource {
    /// A new key and a certificate for it.
    ///
    /// @throws ProblemException when there is none to be had
    TlsIdentity fetch(Identity identity);
}
