// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.zds;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;

/// How this protocol fails.
final class ZdsProblem {
    private ZdsProblem() {}

    /// Bytes or descriptors that do not mean anything: the connection is of no more use.
    static ProblemException malformed(String reason) {
        return new ProblemException(new Problem(
                "zds-malformed",
                "a message of the CNI agent cannot be used: " + reason,
                "check that the CNI agent and the node proxy are of versions that go together",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE));
    }

    /// The other side did not answer in time, or left.
    static Problem lost(String reason) {
        return new Problem(
                "zds-connection-lost",
                reason,
                "it is dialled again by itself; if that goes on, look at the log of the other side",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE);
    }
}
