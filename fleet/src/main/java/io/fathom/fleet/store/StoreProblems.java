// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.store;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;

/// What can be wrong with records in a cluster.
final class StoreProblems {
    private StoreProblems() {}

    /// To whoever changes it, that is the same as a change by somebody else.
    static ProblemException gone(String kind, String namespace, String name) {
        return new ProblemException(new Problem(
                "kube-conflict",
                kind + " " + namespace + "/" + name + " was deleted while it was changed",
                "nothing: it is decided again",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE));
    }
}
