// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.node.cni.pods.Redirection;

/// What to do about one pod. Computed without I/O, executed by [PodActs].
sealed interface EnrolDecision {
    /// Nothing, because.
    record Leave(String reason) implements EnrolDecision {}

    /// Capture it, or go on with what was begun.
    record Enrol() implements EnrolDecision {}

    /// It is captured, but its addresses are others now.
    record Readdress() implements EnrolDecision {}

    /// It is captured, but its annotation does not say so.
    record Annotate() implements EnrolDecision {}

    record Release(How how) implements EnrolDecision {}

    /// What there is left to release.
    enum How {
        /// It goes on without the mesh: its rules have to go.
        LIVE,
        /// It is over: its rules go with its namespace.
        ENDED
    }

    enum Existence {
        RUNNING,
        /// It succeeded or failed; nothing of it runs any more.
        FINISHED,
        DELETED
    }

    enum Wish {
        WANTED,
        UNWANTED
    }

    /// What this agent holds of it.
    enum Held {
        NOTHING,
        /// Some steps are missing.
        PART,
        ALL
    }

    enum Addresses {
        NONE,
        /// As they were when it was captured, or it is not captured yet.
        KNOWN,
        CHANGED
    }

    /// Whether the plugin waits for this pod, and has brought its namespace.
    enum Plugin {
        WAITS,
        SILENT
    }

    /// All that counts.
    ///
    /// @param noted what the pod's annotation says
    record Facts(Existence existence, Wish wish, Redirection noted, Held held, Addresses addresses, Plugin plugin) {}

    /// The first line that fits counts.
    static EnrolDecision decide(Facts facts) {
        var ours = facts.held() != Held.NOTHING || facts.noted() != Redirection.ABSENT;
        return switch (facts.existence()) {
            case DELETED ->
                ours || facts.wish() == Wish.WANTED ? new Release(How.ENDED) : new Leave("it never was in the mesh");
            case FINISHED -> ours ? new Release(How.ENDED) : new Leave("it has finished");
            case RUNNING -> {
                if (facts.wish() == Wish.UNWANTED) {
                    yield ours ? new Release(How.LIVE) : new Leave("it is not wanted");
                }
                yield wanted(facts);
            }
        };
    }

    private static EnrolDecision wanted(Facts facts) {
        if (facts.plugin() == Plugin.WAITS) {
            return new Enrol(); // also a pod that is captured: it may have another namespace now
        }
        return switch (facts.held()) {
            case PART -> new Enrol();
            case NOTHING -> facts.addresses() == Addresses.NONE ? new Leave("it has no address yet") : new Enrol();
            case ALL -> {
                if (facts.addresses() == Addresses.CHANGED) {
                    yield new Readdress();
                }
                yield facts.noted() == Redirection.ENABLED ? new Leave("all is done") : new Annotate();
            }
        };
    }
}
