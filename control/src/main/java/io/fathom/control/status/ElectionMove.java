// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import java.time.Instant;
import java.util.Optional;

/// What to do about a lock now.
sealed interface ElectionMove {
    /// Somebody else leads.
    record Wait(String leader) implements ElectionMove {}

    /// To be written; then we lead.
    record Write(LockRecord record, Why why) implements ElectionMove {}

    /// Why we may lead.
    enum Why {
        /// There is no lock: nobody ever led, or somebody deleted it.
        NO_LOCK,
        /// We lead already.
        RENEWAL,
        /// The last leader gave it up.
        RELEASED,
        /// The last leader was silent for too long.
        EXPIRED,
        /// The leader is of a revision that must give way to ours.
        PRECEDENCE
    }

    /// Pure, but for the question which revision is the default one, asked only when it matters. Clocks of others are
    /// not trusted: a leader is silent since we saw its record change for the last time.
    ///
    /// @param found what the lock says, if it is there
    /// @param seen when it began to say so
    static ElectionMove decide(
            ElectionLock lock, Candidate candidate, Optional<LockRecord> found, Instant seen, Instant now) {
        if (found.isEmpty()) {
            return new Write(ours(lock, candidate, now, now, 0), Why.NO_LOCK);
        }
        var record = found.get();
        if (record.holder().equals(candidate.identity())) {
            return new Write(ours(lock, candidate, record.acquired(), now, record.transitions()), Why.RENEWAL);
        }
        var mine = ours(lock, candidate, now, now, record.transitions() + 1);
        if (record.holder().isEmpty()) {
            return new Write(mine, Why.RELEASED);
        }
        if (!now.isBefore(seen.plus(record.lasting()))) {
            return new Write(mine, Why.EXPIRED);
        }
        return hasPrecedence(lock, candidate, record) ? new Write(mine, Why.PRECEDENCE) : new Wait(record.holder());
    }

    private static boolean hasPrecedence(ElectionLock lock, Candidate candidate, LockRecord record) {
        if (lock.sharing() == ElectionLock.Sharing.ONE_REVISION) {
            return false;
        }
        var remote = record.key().startsWith("^"); // a control plane of upstream that runs in another cluster
        var revision = remote ? record.key().substring(1) : record.key();
        return revision.equals(candidate.revision())
                ? remote
                : candidate.revision().equals(candidate.defaultRevision().get());
    }

    private static LockRecord ours(
            ElectionLock lock, Candidate candidate, Instant acquired, Instant now, int transitions) {
        var key = lock.sharing() == ElectionLock.Sharing.ONE_REVISION ? "" : candidate.revision();
        return new LockRecord(candidate.identity(), key, candidate.terms().lasting(), acquired, now, transitions);
    }
}
