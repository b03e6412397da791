package io.fathom.tools.local;

import io.fathom.tools.local.Deployment.Template;
import io.fathom.wire.kube.folder.ObjectName;

/// What stays the same about a pod for as long as it lives.
///
/// @param node counted from 0
/// @param order of its creation among all pods
/// @param membership whether the mesh is to carry its traffic
record PodFacts(
        String namespace,
        String name,
        String uid,
        String deployment,
        Template template,
        int node,
        String nodeName,
        String ip,
        int order,
        Membership membership) {
    ObjectName object() {
        return new ObjectName("Pod", namespace, name);
    }

    String title() {
        return namespace + "/" + name;
    }
}
