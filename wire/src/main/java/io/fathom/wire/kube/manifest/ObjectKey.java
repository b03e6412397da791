// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

/// Names one object of a kind in all clusters. The namespace of a cluster-wide object is empty.
public record ObjectKey(String cluster, String namespace, String name) implements Comparable<ObjectKey> {
    /// The object of that name beside this one.
    public ObjectKey sibling(String otherName) {
        return new ObjectKey(cluster, namespace, otherName);
    }

    /// How people write it: `namespace/name`.
    public String path() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    @Override
    public int compareTo(ObjectKey other) {
        var byCluster = cluster.compareTo(other.cluster);
        if (byCluster != 0) {
            return byCluster;
        }
        var byNamespace = namespace.compareTo(other.namespace);
        return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }
}
