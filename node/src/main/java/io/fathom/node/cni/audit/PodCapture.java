// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.audit;

import io.fathom.base.lang.Problem;
import io.fathom.node.cni.enrol.PodName;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.node.cni.pods.Redirection;
import java.util.List;
import java.util.Optional;

/// One pod: what is wanted, what is there, and what to think of it.
///
/// @param problem of the last attempt to change something
public record PodCapture(
        PodName pod,
        Eligibility.EligibilityVerdict wanted,
        Redirection annotation,
        Reality reality,
        CaptureState state,
        List<Finding> findings,
        Optional<Problem> problem) {
    public enum CaptureState {
        /// Not wanted, and nothing of it is there.
        OUTSIDE,
        /// Wanted, and all is there.
        CAPTURED,
        /// Its traffic is redirected, but no proxy serves it: nothing gets in or out.
        UNSERVED,
        /// On its way: it has no address yet, or somebody works on it.
        PENDING,
        /// Wanted, but its traffic passes unnoticed or is lost.
        BROKEN
    }

    public PodCapture {
        findings = List.copyOf(findings);
    }
}
