// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

/// Whose objects are read, and which of them count.
///
/// @param cluster the id of the cluster that the objects belong to
/// @param revision of this control plane; empty takes Istio objects of every revision
/// @param systemNamespace where the mesh configuration lives
/// @param meshConfigMap the name of the ConfigMap that holds the mesh configuration
/// @param strictness which objects are compared with the schema of their kind
public record ReaderConfig(
        String cluster, String revision, String systemNamespace, String meshConfigMap, Strictness strictness) {
    /// Which objects are compared with the schema of their kind.
    public enum Strictness {
        /// All: nobody has done so before.
        EVERY_KIND,
        /// Only those that protect something. An API server has validated them all, maybe with definitions that are
        /// newer than ours: what we do not know of the others costs nothing, what we do not know of these may.
        SECURITY_KINDS
    }

    /// With the usual name of the mesh configuration: `istio`, or `istio-<revision>` for a named revision.
    public static ReaderConfig of(String cluster, String revision, String systemNamespace) {
        var named = !revision.isEmpty() && !revision.equals("default");
        return new ReaderConfig(
                cluster, revision, systemNamespace, named ? "istio-" + revision : "istio", Strictness.EVERY_KIND);
    }

    /// The same for another cluster.
    public ReaderConfig ofCluster(String other) {
        return new ReaderConfig(other, revision, systemNamespace, meshConfigMap, strictness);
    }

    /// For objects that an API server has let in.
    public ReaderConfig ofApiServer() {
        return new ReaderConfig(cluster, revision, systemNamespace, meshConfigMap, Strictness.SECURITY_KINDS);
    }
}
