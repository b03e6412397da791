// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.reach;

import java.time.Duration;

/// What one probe of a gateway found.
public sealed interface ProbeFinding {
    /// The gateway of that cluster answered.
    ///
    /// @param seen the identity that it proved
    record Proven(String seen, Duration roundTrip) implements ProbeFinding {}

    /// A gateway with the right identity answered, but it may be that of another cluster.
    record Unproven(String seen, Duration roundTrip, String code, String reason) implements ProbeFinding {}

    /// Nobody answered, or somebody else did.
    ///
    /// @param seen the identity that answered; empty for none
    /// @param code stable, for programs
    record Failed(String seen, String code, String reason) implements ProbeFinding {
        /// Whether what answers is not what the Gateway stands for.
        public boolean isSomebodyElse() {
            return !seen.isEmpty();
        }
    }
}
