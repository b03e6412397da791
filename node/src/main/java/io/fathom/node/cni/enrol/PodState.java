// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.base.lang.Problem;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.node.cni.pods.Redirection;
import java.util.Optional;

/// What is wanted and held of a pod, for those who look on.
///
/// @param held its namespace may be closed any time; [EnrolEngine#look] keeps it open
/// @param problem what went wrong at the last attempt
public record PodState(
        PodName pod,
        Eligibility.EligibilityVerdict verdict,
        Redirection noted,
        Existence existence,
        Optional<HeldPod> held,
        Optional<Problem> problem) {
    public enum Existence {
        RUNNING,
        FINISHED
    }
}
