// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.tls;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.TlsIdentity;
import java.util.concurrent.CompletionStage;

/// Where the certificates of workloads come from.
public interface CertificateSource {
    /// The current certificate of `identity`, fetched if need be. Fails with a
    /// [io.fathom.base.lang.ProblemException] if there is none to be had. Called from event loops: never blocks.
    /// The same object is returned until the certificate is renewed.
    CompletionStage<TlsIdentity> certificate(Identity identity);
}
