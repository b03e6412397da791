// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import java.util.Optional;

/// The pods of one cluster at one point in time. Answers at once.
public interface PodDirectory {
    Optional<Pod> pod(String namespace, String name);

    /// Whether a pod of the service account is on the node, in any phase but Failed.
    boolean runs(String node, String namespace, String serviceAccount);

    /// What matters of a pod.
    ///
    /// @param node empty as long as the pod has none
    record Pod(String uid, String serviceAccount, String node) {}
}
