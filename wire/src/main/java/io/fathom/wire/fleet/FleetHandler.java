// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.OriginCopy;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;

/// Answers agents. May block; called by many threads.
public interface FleetHandler {
    /// Makes a cluster a member.
    ///
    /// @param peer where it comes from, for the log
    /// @throws ProblemException when the token is not good for that
    FleetMembership join(JoinOrder order, String peer);

    /// A new certificate for the same key.
    ///
    /// @param csr a PEM request
    /// @throws ProblemException when the caller is no member
    FleetMembership renew(X509Certificate caller, String csr);

    /// A stream begins.
    ///
    /// @param caller what it has shown; it leads to the roots of the fleet
    /// @param outlet to be told when there is something to send
    /// @throws ProblemException when the caller cannot be a member
    FleetSession open(X509Certificate caller, String peer, FleetOutlet outlet);

    /// Another management server begins to follow.
    ///
    /// @throws ProblemException when the caller is no server of this fleet
    FleetStream<OriginCopy> follow(X509Certificate caller, String peer, FleetOutlet outlet);

    /// A connection was closed to make room for others. Must not block.
    ///
    /// @param peer the address that it came from
    void evicted(EvictionReason reason, String peer);

    /// The stream of an agent.
    interface FleetSession extends FleetStream<FleetDown> {}

    /// One stream, seen from behind. Its methods are called by one thread at a time.
    ///
    /// @param <M> what goes down
    interface FleetStream<M> {
        /// Takes something in.
        ///
        /// @throws ProblemException when the stream has to end
        void received(FleetUp message);

        /// How long to leave the next message where it is, so that whoever sends it has to wait.
        Duration pause();

        /// What to send next, now that there is room for it.
        Optional<M> next();

        /// The stream has ended, whoever ended it. Called once.
        void ended();
    }

    /// The way out of a stream. From any thread; never blocks.
    interface FleetOutlet {
        /// There is something to send: [FleetStream#next] will be asked.
        void wake();

        /// After what there is to send, nothing more.
        void finish();
    }
}
