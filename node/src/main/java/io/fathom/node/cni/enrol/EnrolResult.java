// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.base.lang.Problem;
import java.util.Optional;

/// What came of an act.
///
/// @param held what is held of the pod now
/// @param problem why it is not done
record EnrolResult(Optional<HeldPod> held, Optional<Problem> problem, Again again) {
    /// Whether to try again soon.
    enum Again {
        SOON,
        /// Only when something changes, the plugin asks, or the audit looks.
        ON_OCCASION
    }

    static EnrolResult done(HeldPod held) {
        return new EnrolResult(Optional.of(held), Optional.empty(), Again.ON_OCCASION);
    }

    static EnrolResult released() {
        return new EnrolResult(Optional.empty(), Optional.empty(), Again.ON_OCCASION);
    }

    static EnrolResult retry(HeldPod held, Problem problem) {
        return retry(Optional.of(held), problem);
    }

    static EnrolResult retry(Optional<HeldPod> held, Problem problem) {
        return new EnrolResult(held, Optional.of(problem), Again.SOON);
    }

    static EnrolResult dropped(Problem problem) {
        return new EnrolResult(Optional.empty(), Optional.of(problem), Again.ON_OCCASION);
    }
}
