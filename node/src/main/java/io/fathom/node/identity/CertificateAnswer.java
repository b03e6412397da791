// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.base.lang.Problem;
import io.fathom.wire.pki.TlsIdentity;

/// What somebody gets who needs a certificate.
public sealed interface CertificateAnswer {
    /// One that is valid now.
    record Available(TlsIdentity certificate) implements CertificateAnswer {}

    /// None, and why. This is never a denial: whoever asked may be let in once there is one.
    record Missing(Problem problem) implements CertificateAnswer {}
}
