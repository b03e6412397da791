// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestKind;
import io.fathom.wire.kube.ManifestKind.Following;
import io.fathom.wire.kube.ManifestKinds;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest;
import io.fathom.wire.kube.trust.TrustBundleManifest;
import io.fathom.wire.kube.trust.TrustBundleObject;
import java.util.Collection;
import java.util.List;

/// What a control plane asks of an API server: every kind it reads, and of each no more than it needs. Pure.
///
/// Secrets and the ConfigMaps with certificates of authorities are asked for one by one, as somebody names them: see
/// [#named].
public final class MeshQueries {
    private MeshQueries() {}

    public static List<KubeQuery> of(ReaderConfig config) {
        return ManifestKinds.all().stream()
                .filter(kind -> kind.following() != Following.BY_NAME)
                .map(kind -> query(kind, config))
                .toList();
    }

    /// The same of some kinds only.
    public static List<KubeQuery> of(ReaderConfig config, Collection<Class<? extends Manifest>> kinds) {
        return ManifestKinds.all().stream()
                .filter(kind -> kinds.contains(kind.type()))
                .map(kind -> query(kind, config))
                .toList();
    }

    /// One object of a kind that is not followed as a whole. May be asked with a role that allows only that name.
    public static KubeQuery named(ManifestId object) {
        if (ManifestKinds.of(object.kind()).following() != Following.BY_NAME) {
            throw new IllegalArgumentException(object + " is followed with all others of its kind");
        }
        return KubeQuery.all(KubeResource.of(object.kind()))
                .inNamespace(object.key().namespace())
                .withFields("metadata.name=" + object.key().name());
    }

    private static KubeQuery query(ManifestKind kind, ReaderConfig config) {
        var all = KubeQuery.all(KubeResource.of(kind.type()))
                .forManifest()
                .orVersions(kind.versions().subList(1, kind.versions().size()));
        if (kind.type() == MeshConfigManifest.class) {
            return all.inNamespace(config.systemNamespace()).withFields("metadata.name=" + config.meshConfigMap());
        }
        if (kind.type() == TrustBundleManifest.class) {
            return all.inNamespace(config.systemNamespace()).withLabels(TrustBundleObject.LABEL);
        }
        if (kind.type() == PodManifest.class) {
            return all.withFields("status.phase!=Failed"); // evicted pods can be many, and are no workloads
        }
        return kind.following() == Following.METADATA ? all.withoutContent(kind.kind()) : all;
    }
}
