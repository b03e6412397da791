// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.model.mesh.Identity;
import java.util.List;
import java.util.Optional;

/// Somebody whose credentials were verified.
///
/// @param by the kind of credential that proved it
/// @param identities what it may call itself, at least one
/// @param pod the pod its token is bound to; only such callers can act for a node
public record Caller(By by, List<Identity> identities, Optional<BoundPod> pod) {
    /// Kinds of proof.
    public enum By {
        CLIENT_CERTIFICATE,
        JWT,
        TOKEN_REVIEW,
        FORWARDED_CERTIFICATE
    }

    /// What a token says about the pod it was made for.
    ///
    /// @param cluster where that pod runs; empty for the cluster of the control plane
    /// @param node where the token says the pod runs, if it says so
    public record BoundPod(
            String cluster, String namespace, String serviceAccount, String name, String uid, Optional<String> node) {}

    public Caller {
        identities = List.copyOf(identities);
        if (identities.isEmpty()) {
            throw new IllegalArgumentException("a caller has an identity");
        }
    }

    /// For logs.
    public String describe() {
        var first = identities.getFirst().uri();
        return pod.map(bound -> first + " (pod " + bound.namespace() + "/" + bound.name() + ")")
                .orElse(first);
    }
}
