// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.kube.binary.BinaryObjects;
import java.util.List;
import java.util.stream.Stream;

/// Which objects of a kind are asked for, and how much of each.
///
/// @param namespace empty for all
/// @param fields such as `spec.nodeName=worker`; empty for all
/// @param labels such as `app=ztunnel,tier!=test`; empty for all
/// @param otherVersions of the API to try where the server does not know that of `resource`
public record KubeQuery(
        KubeResource resource,
        String namespace,
        String fields,
        String labels,
        Shape shape,
        List<String> otherVersions) {

    /// How much of an object is wanted.
    public sealed interface Shape {
        record Whole() implements Shape {}

        /// The fields that manifests are read from, in whatever form the server likes best.
        record ForManifest() implements Shape {}

        /// Nothing but the metadata. The server does not say of what kind such an object is, so we do.
        record Metadata(String kind) implements Shape {}
    }

    private static final String JSON = "application/json";
    private static final String METADATA = ";as=PartialObjectMetadata%s;g=meta.k8s.io;v=v1";
    private static final String AS_METADATA = BinaryObjects.TYPE + METADATA + ", " + JSON + METADATA;

    public KubeQuery {
        otherVersions = List.copyOf(otherVersions);
    }

    public static KubeQuery all(KubeResource resource) {
        return new KubeQuery(resource, "", "", "", new Shape.Whole(), List.of());
    }

    public KubeQuery inNamespace(String other) {
        return new KubeQuery(resource, other, fields, labels, shape, otherVersions);
    }

    public KubeQuery withFields(String other) {
        return new KubeQuery(resource, namespace, other, labels, shape, otherVersions);
    }

    public KubeQuery withLabels(String other) {
        return new KubeQuery(resource, namespace, fields, other, shape, otherVersions);
    }

    /// Asks for metadata alone.
    public KubeQuery withoutContent(String kind) {
        return new KubeQuery(resource, namespace, fields, labels, new Shape.Metadata(kind), otherVersions);
    }

    /// Asks for nothing but what manifests are read from.
    KubeQuery forManifest() {
        return BinaryObjects.isKnown(resource.plural())
                ? new KubeQuery(resource, namespace, fields, labels, new Shape.ForManifest(), otherVersions)
                : this;
    }

    public KubeQuery orVersions(List<String> others) {
        return new KubeQuery(resource, namespace, fields, labels, shape, others);
    }

    /// The same in each version, the preferred one first.
    List<KubeQuery> versions() {
        return otherVersions.isEmpty()
                ? List.of(this)
                : Stream.concat(Stream.of(resource.version()), otherVersions.stream())
                        .map(this::inVersion)
                        .toList();
    }

    private KubeQuery inVersion(String version) {
        var other = new KubeResource(resource.group(), version, resource.plural(), resource.scope());
        return new KubeQuery(other, namespace, fields, labels, shape, List.of());
    }

    /// Path and query, to which `&name=value` may be added.
    String target() {
        return resource.path(namespace)
                + "?fieldSelector=" + KubeResource.encoded(fields)
                + "&labelSelector=" + KubeResource.encoded(labels);
    }

    /// What we take as an answer to a list.
    String acceptsList() {
        return accepts("List");
    }

    /// What we take as the objects of a watch.
    String acceptsObject() {
        return accepts("");
    }

    private String accepts(String list) {
        return switch (shape) {
            case Shape.Whole _ -> JSON;
            case Shape.ForManifest _ -> BinaryObjects.TYPE + ", " + JSON;
            case Shape.Metadata _ -> AS_METADATA.formatted(list, list);
        };
    }

    /// An object with its true kind.
    KubeObject named(KubeObject object) {
        return shape instanceof Shape.Metadata metadata ? object.as(resource.apiVersion(), metadata.kind()) : object;
    }

    /// A rule that would allow following these objects, as it is written in a role.
    String rule() {
        return "{apiGroups: [\"%s\"], resources: [%s], verbs: [list, watch]} in a %s"
                .formatted(
                        resource.group(),
                        resource.plural(),
                        namespace.isEmpty() ? "ClusterRole" : "Role in namespace " + namespace);
    }

    @Override
    public String toString() {
        return resource
                + (namespace.isEmpty() ? "" : " in " + namespace)
                + (fields.isEmpty() ? "" : " with " + fields)
                + (labels.isEmpty() ? "" : " labelled " + labels);
    }
}
