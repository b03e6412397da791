// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Workload;
import java.util.Optional;

/// One end of a connection, as far as it is known. What is not known is empty.
///
/// @param name of the pod, for the log
/// @param workload what the pod belongs to, for the metrics
/// @param identity only if mutual TLS proved it
public record Party(
        String name,
        String workload,
        String namespace,
        String canonicalName,
        String canonicalRevision,
        String cluster,
        String region,
        String zone,
        Optional<Identity> identity) {
    public static final Party UNKNOWN = new Party("", "", "", "", "", "", "", "", Optional.empty());

    public static Party of(Workload workload) {
        return new Party(
                workload.name(),
                workload.workloadName(),
                workload.namespace(),
                workload.canonicalName(),
                workload.canonicalRevision(),
                workload.clusterId().isEmpty() ? "Kubernetes" : workload.clusterId(),
                workload.locality().region(),
                workload.locality().zone(),
                Optional.empty());
    }

    public static Party of(Optional<Workload> workload) {
        return workload.map(Party::of).orElse(UNKNOWN);
    }

    public Party proven(Optional<Identity> by) {
        return new Party(name, workload, namespace, canonicalName, canonicalRevision, cluster, region, zone, by);
    }

    /// Without the pod's name, which would make a series for each pod.
    Party forLabels() {
        return new Party("", workload, namespace, canonicalName, canonicalRevision, cluster, region, zone, identity);
    }

    boolean hasLocality() {
        return !region.isEmpty() || !zone.isEmpty();
    }
}
