// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.model.mesh.PodResolver;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.zds.PodInfo;

/// Names a pod: by its UID for the machine, by the rest for people and the API server.
///
/// @param resolver what node proxies get to know besides
public record PodName(String uid, String namespace, String name, String serviceAccount, PodResolver resolver) {
    public static PodName of(PodManifest pod) {
        return new PodName(pod.metadata().uid(), pod.namespace(), pod.name(), pod.serviceAccount(), pod.resolver());
    }

    PodInfo info() {
        return new PodInfo(uid, name, namespace, serviceAccount, resolver);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
