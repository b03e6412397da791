// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.auth.Credentials;
import io.fathom.wire.pki.AlternativeNames;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Takes a client for what its certificate says. The handshake has verified the certificate against our roots.
public final class CertificateAuthenticator implements CallerAuthenticator {
    private final Predicate<Identity> members;

    public CertificateAuthenticator(Supplier<TrustDomains> trustDomains) {
        this(identity -> trustDomains.get().include(identity));
    }

    /// @param members whose identities count, once their certificates are verified
    public CertificateAuthenticator(Predicate<Identity> members) {
        this.members = members;
    }

    @Override
    public Attempt authenticate(Credentials credentials) {
        if (credentials.certificates().isEmpty()) {
            return new Attempt.NotPresented();
        }
        var identities = AlternativeNames.identities(credentials.certificates().getFirst()).stream()
                .filter(members)
                .toList();
        return identities.isEmpty()
                ? CallerAuthenticator.rejected(
                        "certificate-without-identity", "the client certificate has no identity of this mesh")
                : new Attempt.Authenticated(new Caller(Caller.By.CLIENT_CERTIFICATE, identities, Optional.empty()));
    }
}
