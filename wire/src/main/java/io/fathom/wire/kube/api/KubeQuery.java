package io.fathom.wire.kube.api;

/// Which objects of a kind are asked for.
///
/// @param namespace empty for all
/// @param fields such as `spec.nodeName=worker`; empty for all
/// @param labels such as `app=ztunnel,tier!=test`; empty for all
public record KubeQuery(KubeResource resource, String namespace, String fields, String labels) {
    public static KubeQuery all(KubeResource resource) {
        return new KubeQuery(resource, "", "", "");
    }

    public KubeQuery inNamespace(String other) {
        return new KubeQuery(resource, other, fields, labels);
    }

    public KubeQuery withFields(String other) {
        return new KubeQuery(resource, namespace, other, labels);
    }

    public KubeQuery withLabels(String other) {
        return new KubeQuery(resource, namespace, fields, other);
    }

    /// Path and query, to which `&name=value` may be added.
    String target() {
        return resource.path(namespace)
                + "?fieldSelector=" + KubeResource.encoded(fields)
                + "&labelSelector=" + KubeResource.encoded(labels);
    }

    @Override
    public String toString() {
        return resource
                + (namespace.isEmpty() ? "" : " in " + namespace)
                + (fields.isEmpty() ? "" : " with " + fields)
                + (labels.isEmpty() ? "" : " labelled " + labels);
    }
}
