// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.AnyObject;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ApplyTo;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ClusterMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ListenerMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ObjectMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Operation;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.RoutesMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.WaypointMatch;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Patches of clusters.
final class ClusterPatches {
    private static final int PARTS = 4;

    private final List<CompiledPatch> patches;

    ClusterPatches(List<CompiledPatch> all) {
        patches =
                all.stream().filter(patch -> patch.applyTo() == ApplyTo.CLUSTER).toList();
    }

    List<Cluster> added() {
        return patches.stream()
                .filter(patch -> patch.operation() == Operation.ADD)
                .map(patch -> (Cluster) patch.value().orElseThrow())
                .toList();
    }

    /// The EnvoyFilters that change it.
    Set<ObjectKey> authors(Cluster cluster) {
        return of(cluster).map(CompiledPatch::author).collect(Collectors.toSet());
    }

    private Stream<CompiledPatch> of(Cluster cluster) {
        return patches.stream()
                .filter(patch -> patch.operation() != Operation.ADD && isMeant(patch.match(), cluster.getName()));
    }

    Optional<Cluster> apply(Cluster cluster) {
        var result = cluster;
        for (var patch : of(cluster).toList()) {
            if (patch.operation() == Operation.REMOVE) {
                return Optional.empty();
            }
            result = DeepMerge.merge(result, patch.value().orElseThrow());
        }
        return Optional.of(result);
    }

    private static boolean isMeant(ObjectMatch match, String name) {
        return switch (match) {
            case AnyObject _ -> true;
            case ClusterMatch wanted -> isMeant(wanted, name);
            case ListenerMatch _, RoutesMatch _, WaypointMatch _ -> false;
        };
    }

    /// `direction|port|subset|host`; clusters of other names are only meant by their whole name.
    private static boolean isMeant(ClusterMatch wanted, String name) {
        if (!wanted.name().isEmpty()) {
            return wanted.name().equals(name);
        }
        if (wanted.port() == 0 && wanted.service().isEmpty() && wanted.subset().isEmpty()) {
            return true;
        }
        var parts = name.split("\\|", -1);
        return parts.length == PARTS
                && (wanted.port() == 0 || parts[1].equals(Integer.toString(wanted.port())))
                && ListenerMatches.isOr(wanted.service(), parts[3])
                && (wanted.subset().isEmpty()
                        || parts[2].equals(wanted.subset())
                        || parts[2].endsWith("/" + wanted.subset()));
    }
}
