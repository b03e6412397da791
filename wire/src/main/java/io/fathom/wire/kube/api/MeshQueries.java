package io.fathom.wire.kube.api;

import io.fathom.wire.kube.CaBundleManifest;
import io.fathom.wire.kube.CredentialManifest;
import io.fathom.wire.kube.Manifest;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.MeshConfigManifest;
import io.fathom.wire.kube.NamespaceManifest;
import io.fathom.wire.kube.NodeManifest;
import io.fathom.wire.kube.PodManifest;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.ServedKind;
import java.util.List;
import java.util.Map;

/// What a control plane asks of an API server: every kind it reads, and of each no more than it needs. Pure.
///
/// Secrets and the ConfigMaps with certificates of authorities are asked for one by one, as somebody names them: see
/// [#named].
public final class MeshQueries {
    /// Kinds that are not followed as a whole: a cluster has many of them, and few concern us.
    private static final Map<Class<? extends Manifest>, KubeResource> NAMED = Map.of(
            CredentialManifest.class, KubeResource.SECRETS,
            CaBundleManifest.class, KubeResource.CONFIG_MAPS);

    private MeshQueries() {}

    public static List<KubeQuery> of(ReaderConfig config) {
        return ServedKind.all().stream()
                .filter(kind -> !NAMED.containsKey(kind.type()))
                .map(kind -> query(kind, config))
                .toList();
    }

    /// One object of a kind that is not followed as a whole. May be asked with a role that allows only that name.
    public static KubeQuery named(ManifestId object) {
        var resource = NAMED.get(object.kind());
        if (resource == null) {
            throw new IllegalArgumentException(object + " is followed with all others of its kind");
        }
        return KubeQuery.all(resource)
                .inNamespace(object.key().namespace())
                .withFields("metadata.name=" + object.key().name());
    }

    private static KubeQuery query(ServedKind kind, ReaderConfig config) {
        var scope = kind.home() == ServedKind.Home.CLUSTER ? KubeResource.Scope.CLUSTER : KubeResource.Scope.NAMESPACE;
        var resource = new KubeResource(kind.group(), kind.versions().getFirst(), kind.plural(), scope);
        var all = KubeQuery.all(resource)
                .orVersions(kind.versions().subList(1, kind.versions().size()));
        if (kind.type() == MeshConfigManifest.class) {
            return all.inNamespace(config.systemNamespace()).withFields("metadata.name=" + config.meshConfigMap());
        }
        if (kind.type() == PodManifest.class) {
            return all.withFields("status.phase!=Failed"); // evicted pods can be many, and are no workloads
        }
        return kind.type() == NodeManifest.class || kind.type() == NamespaceManifest.class
                ? all.withoutContent(kind.kind())
                : all;
    }
}
