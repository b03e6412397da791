// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.peering.FeedDown;
import io.fathom.model.peering.FeedUp;
import io.fathom.wire.auth.Admission;
import io.fathom.wire.auth.Credentials;

/// Takes in what the agent of a fleet tells. Called by many threads; may block.
public interface FeedHandler {
    /// Whether a caller is the agent; its name, for logs.
    Admission<String> admit(Credentials credentials);

    /// A stream begins.
    FeedSession open(String caller, FeedOutlet outlet);

    /// One stream. Called by one thread at a time.
    interface FeedSession {
        /// Has taken it in when it returns.
        ///
        /// @throws ProblemException when the stream has to end
        void received(FeedUp message);

        /// The stream has ended, whoever ended it. Called once.
        void ended();
    }

    /// The way back. Any thread; never blocks.
    interface FeedOutlet {
        void send(FeedDown message);

        /// Ends the stream; the agent may come again.
        void end(Problem problem);
    }
}
