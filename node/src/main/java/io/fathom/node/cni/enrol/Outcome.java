// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.base.lang.Problem;
import java.util.Optional;

/// What came of an act.
///
/// @param held what is held of the pod now
/// @param problem why it is not done
record Outcome(Optional<HeldPod> held, Optional<Problem> problem, Again again) {
    /// Whether to try again soon.
    enum Again {
        SOON,
        /// Only when something changes, the plugin asks, or the audit looks.
        ON_OCCASION
    }

    static Outcome done(HeldPod held) {
        return new Outcome(Optional.of(held), Optional.empty(), Again.ON_OCCASION);
    }

    static Outcome released() {
        return new Outcome(Optional.empty(), Optional.empty(), Again.ON_OCCASION);
    }

    static Outcome retry(HeldPod held, Problem problem) {
        return retry(Optional.of(held), problem);
    }

    static Outcome retry(Optional<HeldPod> held, Problem problem) {
        return new Outcome(held, Optional.of(problem), Again.SOON);
    }

    static Outcome dropped(Problem problem) {
        return new Outcome(Optional.empty(), Optional.of(problem), Again.ON_OCCASION);
    }
}
