// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.model.mesh.Identity;
import java.time.Duration;
import java.time.Instant;

/// Why there is no certificate. None of these is a denial.
final class CertificateProblems {
    private CertificateProblems() {}

    static Problem pending(Identity identity, Duration waited) {
        return new Problem(
                "certificate-pending",
                "there is no certificate for " + identity.uri() + " yet, after " + waited.toSeconds() + "s",
                "check that the certificate authority can be reached from this node",
                Origin.MESH,
                Retry.SENSIBLE);
    }

    static Problem unavailable(Identity identity, Problem cause) {
        return new Problem(
                "certificate-unavailable",
                "there is no certificate for " + identity.uri() + " yet: " + cause.message(),
                cause.fix(),
                cause.origin(),
                Retry.SENSIBLE);
    }

    static Problem notHere(Identity identity) {
        return new Problem(
                "identity-not-on-node",
                "no workload with the identity " + identity.uri() + " is known on this node",
                "check that the pod's node and service account are what the control plane tells of it",
                Origin.MESH,
                Retry.SENSIBLE);
    }

    static Problem forgotten(Identity identity) {
        return new Problem(
                "identity-forgotten",
                "the last workload with the identity " + identity.uri() + " has left this node",
                "",
                Origin.MESH,
                Retry.POINTLESS);
    }

    static Problem expired(Identity identity, Instant notAfter) {
        return new Problem(
                "certificate-expired",
                "the certificate for " + identity.uri() + " had ended at " + notAfter + " when it came",
                "compare the clocks of this node and of the certificate authority",
                Origin.SERVER,
                Retry.SENSIBLE);
    }

    static Problem stopping() {
        return new Problem("node-stopping", "the node proxy is stopping", "", Origin.SERVER, Retry.POINTLESS);
    }

    static Problem bug(RuntimeException e) {
        return new Problem(
                "certificate-fetch-failed", "fetching failed: " + e, "report this", Origin.SERVER, Retry.SENSIBLE);
    }
}
