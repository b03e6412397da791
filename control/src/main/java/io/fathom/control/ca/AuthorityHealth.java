// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.Problem;
import io.fathom.wire.pki.SigningMaterial;
import java.time.Instant;
import java.util.Optional;

/// How an authority does, for metrics, logs and the readiness answer.
///
/// @param authority what kind it is: `self-signed`, `cacerts`, `vault`
/// @param signerNotAfter when the signing chain ends; empty as long as there is no material
/// @param rootNotAfter when the first root of the signing material ends
/// @param lastRenewal when material was last taken over
/// @param problem why the state is not READY
public record AuthorityHealth(
        String authority,
        State state,
        Optional<Instant> signerNotAfter,
        Optional<Instant> rootNotAfter,
        Optional<Instant> lastRenewal,
        Optional<Problem> problem) {

    public enum State {
        /// Signs, and the last renewal or check worked.
        READY,
        /// Signs with what it has, but the last renewal, reload or check failed.
        DEGRADED,
        /// Cannot sign: no material yet, or it has expired.
        DOWN
    }

    /// How an authority with material does.
    ///
    /// @param problem what went wrong last, if anything
    public static AuthorityHealth of(
            String authority, SigningMaterial material, Instant since, Optional<Problem> problem, Instant now) {
        var expired = !now.isBefore(material.notAfter());
        var state = expired ? State.DOWN : problem.isPresent() ? State.DEGRADED : State.READY;
        return new AuthorityHealth(
                authority,
                state,
                Optional.of(material.notAfter()),
                Optional.of(material.roots().getFirst().getNotAfter().toInstant()),
                Optional.of(since),
                problem);
    }
}
