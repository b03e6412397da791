// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;

/// The one way decoders here fail: bytes of a peer that do not mean anything to us.
final class WireProblem {
    private WireProblem() {}

    static ProblemException malformed(String what, String reason) {
        return new ProblemException(new Problem(
                "workload-api-malformed",
                what + " cannot be read: " + reason,
                "check that both sides speak the same version of the Workload API",
                Problem.Origin.SERVER,
                Problem.Retry.POINTLESS));
    }
}
