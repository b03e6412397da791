// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.zds;

import java.util.Map;

/// A connected proxy, as far as it is known from what it answered.
///
/// @param number counts connections since the agent's start: the greatest is the newest
/// @param pods its answers by pods' UIDs
public record ProxyView(int number, int pid, ProxyPhase phase, Map<String, PodAnswer> pods) {
    public enum ProxyPhase {
        /// It has not greeted yet.
        CONNECTED,
        /// It is being told all pods.
        SNAPSHOT,
        /// It knows all pods.
        LIVE
    }

    public ProxyView {
        pods = Map.copyOf(pods);
    }
}
