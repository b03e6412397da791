// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.pod;

/// How a pod fares.
public record PodState(LocalPodPhase phase, boolean ready, int restarts) {
    public enum LocalPodPhase {
        /// Waits for the node agent: nothing runs in it.
        PENDING,
        RUNNING,
        /// Its process has ended and is not to be started again.
        SUCCEEDED,
        FAILED,
        STOPPING,
        GONE
    }

    /// Whether nothing is to be expected of it any more.
    public boolean isOver() {
        return phase == LocalPodPhase.SUCCEEDED || phase == LocalPodPhase.FAILED;
    }

    static final PodState NEW = new PodState(LocalPodPhase.PENDING, false, 0);

    PodState in(LocalPodPhase other) {
        return new PodState(other, ready && other == LocalPodPhase.RUNNING, restarts);
    }

    PodState withReady(boolean now) {
        return new PodState(phase, now, restarts);
    }

    PodState restarted() {
        return new PodState(phase, false, restarts + 1);
    }
}
