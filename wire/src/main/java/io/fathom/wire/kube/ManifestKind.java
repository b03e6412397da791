// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest;
import java.util.List;
import java.util.Locale;

/// A kind that the mesh reads: one row of [ManifestKinds].
///
/// @param kind as manifests spell it
/// @param type what its objects become
/// @param versions that we read, the one to ask for first
/// @param following how its objects are got from an API server
/// @param status what is written back
public record ManifestKind(
        String group,
        String kind,
        Class<? extends Manifest> type,
        KindReader reader,
        List<String> versions,
        Scope scope,
        Following following,
        StatusForm status) {

    /// Where objects of a kind live.
    public enum Scope {
        CLUSTER,
        NAMESPACE,
        /// In a namespace, and only for control planes of the revision they are labelled with.
        REVISION
    }

    /// What of a kind is asked for.
    public enum Following {
        /// All objects.
        WHOLE,
        /// All objects, but only their metadata.
        METADATA,
        /// Objects one by one, as somebody names them: a cluster has many of them, and few concern us.
        BY_NAME
    }

    public ManifestKind {
        versions = List.copyOf(versions);
    }

    static ManifestKind of(
            String group, String kind, Class<? extends Manifest> type, KindReader reader, String... versions) {
        return new ManifestKind(
                group, kind, type, reader, List.of(versions), Scope.NAMESPACE, Following.WHOLE, StatusForm.UNWRITTEN);
    }

    ManifestKind in(Scope other) {
        return new ManifestKind(group, kind, type, reader, versions, other, following, status);
    }

    ManifestKind followed(Following other) {
        return new ManifestKind(group, kind, type, reader, versions, scope, other, status);
    }

    ManifestKind writing(StatusForm other) {
        return new ManifestKind(group, kind, type, reader, versions, scope, following, other);
    }

    /// In lower case, as in the paths of an API server.
    public String plural() {
        return plural(kind);
    }

    /// How the API server names many objects of a kind, ours or not.
    public static String plural(String kind) {
        var word = kind.toLowerCase(Locale.ROOT);
        if (word.endsWith("y") && !word.endsWith("ay")) {
            return word.substring(0, word.length() - 1) + "ies";
        }
        return word.endsWith("s") ? word + "es" : word + "s";
    }

    boolean isServedIn(String version) {
        return versions.contains(version);
    }

    /// The API version to write.
    public String apiVersion() {
        return group.isEmpty() ? versions.getFirst() : group + "/" + versions.getFirst();
    }

    boolean isMeshConfig() {
        return type == MeshConfigManifest.class;
    }

    /// Whether its names become parts of host names.
    boolean isNamedByLabel() {
        return type == NamespaceManifest.class || type == ServiceManifest.class;
    }

    @Override
    public String toString() {
        return group.isEmpty() ? kind : kind + "." + group;
    }
}
