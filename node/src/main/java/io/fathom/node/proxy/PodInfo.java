package io.fathom.node.proxy;

/// What the node's agent says about a pod.
public record PodInfo(String namespace, String name, String serviceAccount) {
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
