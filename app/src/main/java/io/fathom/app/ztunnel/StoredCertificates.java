// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Identity;
import io.fathom.node.identity.CertificateAnswer;
import io.fathom.node.identity.CertificateStore;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.CertificateSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// Certificates from the store of the node.
record StoredCertificates(CertificateStore store) implements CertificateSource {
    @Override
    public CompletionStage<TlsIdentity> certificate(Identity identity) {
        var there = store.current(identity);
        if (there.isPresent()) {
            return CompletableFuture.completedFuture(there.get());
        }
        return store.require(identity).thenApply(answer -> switch (answer) {
            case CertificateAnswer.Available(var certificate) -> certificate;
            case CertificateAnswer.Missing(var problem) -> throw new ProblemException(problem);
        });
    }
}
