// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.zds;

import io.fathom.model.mesh.PodResolver;

/// Who a pod is, as Kubernetes names it.
///
/// @param resolver what it says about DNS, if the agent is one that tells
/// @param uid the pod's UID; another pod of the same name has another one
public record PodInfo(String uid, String name, String namespace, String serviceAccount, PodResolver resolver) {
    public PodInfo(String uid, String name, String namespace, String serviceAccount) {
        this(uid, name, namespace, serviceAccount, PodResolver.NONE);
    }
}
