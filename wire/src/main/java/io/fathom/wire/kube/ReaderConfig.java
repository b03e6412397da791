package io.fathom.wire.kube;

/// Whose objects are read, and which of them count.
///
/// @param cluster the id of the cluster that the objects belong to
/// @param revision of this control plane; empty takes Istio objects of every revision
/// @param systemNamespace where the mesh configuration lives
/// @param meshConfigMap the name of the ConfigMap that holds the mesh configuration
public record ReaderConfig(String cluster, String revision, String systemNamespace, String meshConfigMap) {
    /// With the usual name of the mesh configuration: `istio`, or `istio-<revision>` for a named revision.
    public static ReaderConfig of(String cluster, String revision, String systemNamespace) {
        var named = !revision.isEmpty() && !revision.equals("default");
        return new ReaderConfig(cluster, revision, systemNamespace, named ? "istio-" + revision : "istio");
    }
}
