// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.zds;

/// What a proxy last said about a pod.
///
/// @param reason why it refuses
public record PodAnswer(Kind kind, String reason) {
    static final PodAnswer SERVED = new PodAnswer(Kind.SERVED, "");
    static final PodAnswer KEPT = new PodAnswer(Kind.KEPT, "");

    public enum Kind {
        SERVED,
        /// It was asked to keep the pod if it had it; whether it had is not known.
        KEPT,
        REFUSED
    }

    static PodAnswer refused(String reason) {
        return new PodAnswer(Kind.REFUSED, reason);
    }
}
