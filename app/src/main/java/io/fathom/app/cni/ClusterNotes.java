// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.enrol.PodName;
import io.fathom.node.cni.enrol.RedirectionNotes;
import io.fathom.node.cni.pods.Redirection;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Json;

/// Writes annotations through an API server, by way of the pod's status, for which the agent has permission.
record ClusterNotes(KubeClient client) implements RedirectionNotes {
    @Override
    public void write(PodName pod, Redirection redirection) {
        var patch = Json.parse("patch", RedirectionPatch.of(pod, redirection));
        try {
            var _ = client.patchStatus(KubeResource.PODS, pod.namespace(), pod.name(), patch); // absent is fine, too
        } catch (ProblemException e) {
            if (!e.problem().code().equals("kube-conflict")) { // that is another pod of the same name
                throw e;
            }
        }
    }
}
