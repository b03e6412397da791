// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.ObjectKey;

/// What becomes a workload, and by which name proxies know it.
public final class WorkloadSources {
    private WorkloadSources() {}

    public static String podUid(ObjectKey pod) {
        return pod.cluster() + "//Pod/" + pod.namespace() + "/" + pod.name();
    }

    public static String entryUid(ObjectKey entry) {
        return entry.cluster() + "/networking.istio.io/WorkloadEntry/" + entry.namespace() + "/" + entry.name();
    }

    public static String endpointUid(ObjectKey entry, String address) {
        return entry.cluster() + "/networking.istio.io/ServiceEntry/" + entry.namespace() + "/" + entry.name() + "/"
                + address;
    }

    /// Whether a pod is a workload, if its namespace counts.
    public static boolean isServed(PodManifest pod) {
        return !pod.ips().isEmpty()
                && pod.phase() != PodManifest.Phase.SUCCEEDED
                && pod.phase() != PodManifest.Phase.FAILED;
    }
}
