package io.fathom.node.cni.enrol;

import io.fathom.wire.kube.PodManifest;
import io.fathom.wire.zds.PodInfo;

/// Names a pod: by its UID for the machine, by the rest for people and the API server.
public record PodName(String uid, String namespace, String name, String serviceAccount) {
    public static PodName of(PodManifest pod) {
        return new PodName(pod.metadata().uid(), pod.namespace(), pod.name(), pod.serviceAccount());
    }

    PodInfo info() {
        return new PodInfo(uid, name, namespace, serviceAccount);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
