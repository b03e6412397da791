// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.Problem;
import io.fathom.model.mesh.Identity;
import java.util.Optional;

/// Whether a client may say that it is a proxy of some namespace and account: one of its verified identities has to be
/// there. Pure.
public final class StreamIdentityCheck {
    private StreamIdentityCheck() {}

    /// The verified identity that the client speaks with; empty when it says that it is somebody else.
    public static Optional<Identity> identity(Caller caller, String namespace, Optional<String> serviceAccount) {
        return caller.identities().stream()
                .filter(identity -> identity.namespace().equals(namespace)
                        && serviceAccount
                                .filter(account -> !account.equals(identity.serviceAccount()))
                                .isEmpty())
                .findFirst();
    }

    /// Empty if it may.
    ///
    /// @param namespace as the client's node metadata has it
    /// @param serviceAccount the same; not looked at if the client did not say
    public static Optional<Problem> problem(Caller caller, String namespace, Optional<String> serviceAccount) {
        return identity(caller, namespace, serviceAccount).isPresent()
                ? Optional.empty()
                : Optional.of(Problem.ofInput(
                        "xds-identity-mismatch",
                        caller.describe() + " is no proxy of namespace " + namespace
                                + serviceAccount
                                        .map(account -> " and account " + account)
                                        .orElse(""),
                        "let the node metadata of the proxy name its own namespace and service account"));
    }
}
