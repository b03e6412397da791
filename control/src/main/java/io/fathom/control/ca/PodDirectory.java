package io.fathom.control.ca;

import java.util.List;
import java.util.Optional;

/// The pods of one cluster at one point in time. Answers at once.
public interface PodDirectory {
    Optional<Pod> pod(String namespace, String name);

    /// The pods of a service account on a node, in any phase.
    List<Pod> pods(String node, String namespace, String serviceAccount);

    /// What matters of a pod.
    ///
    /// @param node empty as long as the pod has none
    record Pod(String namespace, String name, String uid, String serviceAccount, String node, Phase phase) {}

    /// Of a pod's life, as Kubernetes tells it.
    enum Phase {
        PENDING,
        RUNNING,
        SUCCEEDED,
        FAILED,
        UNKNOWN
    }
}
