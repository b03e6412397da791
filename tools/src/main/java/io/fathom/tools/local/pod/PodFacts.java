// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.pod;

import io.fathom.tools.local.folder.Deployment.DeploymentKind;
import io.fathom.tools.local.folder.Deployment.Template;
import io.fathom.wire.kube.folder.ObjectName;
import java.util.HashMap;
import java.util.Map;

/// What stays the same about a pod for as long as it lives.
///
/// @param node counted from 0
/// @param order of its creation among all pods
/// @param membership whether the mesh is to carry its traffic
public record PodFacts(
        String namespace,
        String name,
        String uid,
        String deployment,
        DeploymentKind kind,
        Template template,
        int node,
        String nodeName,
        String ip,
        int order,
        Membership membership) {
    ObjectName object() {
        return new ObjectName("Pod", namespace, name);
    }

    /// Those of the template, and what its kind adds.
    public Map<String, String> labels() {
        var labels = new HashMap<>(template.labels());
        switch (kind) {
            case DEPLOYMENT -> labels.put("pod-template-hash", template.hash());
            case STATEFUL_SET, PARALLEL_STATEFUL_SET -> {
                labels.put("controller-revision-hash", ownerName() + "-" + template.hash());
                labels.put("statefulset.kubernetes.io/pod-name", name);
                labels.put("apps.kubernetes.io/pod-index", name.substring(name.lastIndexOf('-') + 1));
            }
            case POD -> {}
        }
        return labels;
    }

    /// The ReplicaSet or StatefulSet that it would belong to in a cluster.
    String ownerName() {
        return name.substring(0, Math.max(0, name.lastIndexOf('-')));
    }

    public String title() {
        return namespace + "/" + name;
    }
}
