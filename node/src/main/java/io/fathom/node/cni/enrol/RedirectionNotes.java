// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.pods.Redirection;

/// Writes the annotation of a pod that tells the control plane whether it is captured. Blocks; for any thread.
public interface RedirectionNotes {
    /// A pod that is gone, or has another UID by now, is none of our business any more: nothing happens.
    void write(PodName pod, Redirection redirection) throws ProblemException;
}
