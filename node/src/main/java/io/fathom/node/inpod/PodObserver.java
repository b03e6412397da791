// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.inpod;

/// Hears how many pods are served. Called with a lock held: count, and return.
public interface PodObserver {
    /// Hears nothing.
    PodObserver NONE = new PodObserver() {};

    default void proxyStarted() {}

    default void proxyStopped() {}

    /// How many pods are served, and how many should be but their proxy could not start.
    default void counted(int active, int pending) {}

    /// Whether every pod is served that the agent knows of, as far as it can be known. False at first.
    default void ready(PodReadiness readiness) {}

    /// As told by [#ready].
    enum PodReadiness {
        READY,
        NOT_READY
    }
}
