// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.zds;

/// What a proxy last said about a pod.
///
/// @param reason why it refuses
public record PodAnswer(AnswerKind kind, String reason) {
    static final PodAnswer SERVED = new PodAnswer(AnswerKind.SERVED, "");
    static final PodAnswer KEPT = new PodAnswer(AnswerKind.KEPT, "");

    public enum AnswerKind {
        SERVED,
        /// It was asked to keep the pod if it had it; whether it had is not known.
        KEPT,
        REFUSED
    }

    static PodAnswer refused(String reason) {
        return new PodAnswer(AnswerKind.REFUSED, reason);
    }
}
