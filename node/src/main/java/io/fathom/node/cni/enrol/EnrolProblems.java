// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.base.lang.Problem;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.wire.kube.core.PodManifest;

/// Why a pod is not captured, as far as the engine itself is concerned.
final class EnrolProblems {
    private EnrolProblems() {}

    static Problem notEligible(PodName pod, Eligibility.EligibilityVerdict verdict) {
        return Problem.ofInput(
                "pod-not-eligible",
                "pod " + pod + " is unexpectedly not eligible: " + verdict.reason(),
                "check that plugin and agent have the same enablement selectors");
    }

    static Problem overtaken(PodManifest pod) {
        return new Problem(
                "enrol-overtaken",
                "another request for pod " + pod.key().path() + " came meanwhile",
                "that one counts",
                Problem.Origin.CLIENT,
                Problem.Retry.SENSIBLE);
    }

    static Problem bug(RuntimeException e) {
        return new Problem(
                "enrol-bug",
                "the agent failed: " + e,
                "report it with the log of the agent",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE);
    }

    static Problem stopping() {
        return new Problem(
                "agent-stopping",
                "the node agent is stopping",
                "the next one takes the pod",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE);
    }
}
