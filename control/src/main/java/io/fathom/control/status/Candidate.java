// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import java.time.Duration;
import java.util.function.Supplier;

/// Somebody who wants to lead.
///
/// @param identity must differ from that of every other candidate: two of one name would both lead
/// @param namespace where the locks are
/// @param revision of this control plane
/// @param defaultRevision the revision that takes shared locks from others, now
public record Candidate(
        String identity,
        String namespace,
        String revision,
        Supplier<String> defaultRevision,
        Terms terms,
        Election election) {

    /// Whether there is a choice.
    public enum Election {
        ON,
        /// Everybody leads, at once and always.
        OFF
    }

    /// How long things take. A leader that cannot renew stops well before others may begin.
    ///
    /// @param lasting after this long without a sign of life others take over
    /// @param renewal a leader that failed to renew for this long stops
    /// @param retry how often leaders renew and others look
    public record Terms(Duration lasting, Duration renewal, Duration retry) {
        public static final Terms DEFAULT =
                new Terms(Duration.ofSeconds(30), Duration.ofSeconds(15), Duration.ofMillis(7500));

        public Terms {
            if (lasting.compareTo(renewal) <= 0 || renewal.compareTo(retry) <= 0 || !retry.isPositive()) {
                throw new IllegalArgumentException("want lasting > renewal > retry > 0");
            }
        }
    }

    public Candidate {
        if (identity.isEmpty() || namespace.isEmpty() || revision.isEmpty()) {
            throw new IllegalArgumentException("a candidate has an identity, a namespace and a revision");
        }
    }

    /// With upstream's terms; the revision `default` is the default one.
    public static Candidate of(String identity, String namespace, String revision) {
        return new Candidate(
                identity,
                namespace,
                revision.isEmpty() ? "default" : revision,
                () -> "default",
                Terms.DEFAULT,
                Election.ON);
    }

    public Candidate with(Terms other) {
        return new Candidate(identity, namespace, revision, defaultRevision, other, election);
    }

    public Candidate with(Election other) {
        return new Candidate(identity, namespace, revision, defaultRevision, terms, other);
    }

    public Candidate withDefaultRevision(Supplier<String> other) {
        return new Candidate(identity, namespace, revision, other, terms, election);
    }
}
