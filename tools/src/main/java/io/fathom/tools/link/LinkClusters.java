// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.work.Parts;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The clusters that a command is about. Names are those of `bin/up`, where it runs clusters, else contexts of a
/// kubeconfig. Closing lets them go.
final class LinkClusters implements AutoCloseable {
    /// Where `bin/up` runs clusters.
    private static final String LOCAL = "FATHOM_CLUSTERS";

    private final Parts parts = new Parts(Parts.Order.FIRST_FIRST);
    private final List<ClusterAccess> all = new ArrayList<>();

    private LinkClusters() {}

    /// @param contexts may be empty for all clusters of `bin/up`
    /// @param kubeconfig the file, where it is not the usual one
    static LinkClusters open(
            List<String> contexts, Optional<Path> kubeconfig, String namespace, Map<String, String> environment) {
        var local = Optional.ofNullable(environment.get(LOCAL)).map(Path::of).filter(_ -> kubeconfig.isEmpty());
        var known = local.map(LinkClusters::names).orElse(List.of());
        var names = contexts.isEmpty() ? known : contexts;
        if (names.isEmpty()) {
            throw usage("which clusters?", "name their contexts: --contexts a,b,c");
        }
        if (new LinkedHashSet<>(names).size() < names.size()) {
            throw usage("--contexts names one twice: " + String.join(",", names), "name each once");
        }
        var clusters = new LinkClusters();
        for (var name : names) {
            clusters.all.add(
                    known.contains(name)
                            ? new FolderAccess(name, local.orElseThrow().resolve(name))
                            : clusters.parts.keep(kube(name, known, kubeconfig, namespace, environment)));
        }
        return clusters;
    }

    private static ClusterAccess kube(
            String context,
            List<String> local,
            Optional<Path> kubeconfig,
            String namespace,
            Map<String, String> environment) {
        if (!local.isEmpty()) {
            throw usage(
                    "there is no cluster " + context,
                    "bin/up runs " + String.join(", ", local) + "; for others give --kubeconfig");
        }
        var file = kubeconfig
                .or(() -> Optional.ofNullable(environment.get("KUBECONFIG"))
                        .filter(text -> !text.isEmpty())
                        .map(Path::of))
                .orElse(Path.of(environment.getOrDefault("HOME", "/"), ".kube", "config"));
        return new KubeAccess(
                context, new KubeClient(KubeConfig.fromFile(file, context), KubeSettings.DEFAULT), namespace);
    }

    private static List<String> names(Path folder) {
        var list = folder.resolve("clusters");
        try {
            return Files.exists(list)
                    ? Files.readAllLines(list).stream()
                            .filter(line -> !line.isBlank())
                            .toList()
                    : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<ClusterAccess> all() {
        return List.copyOf(all);
    }

    static ProblemException usage(String message, String fix) {
        return new ProblemException(Problem.ofInput("bad-command-line", message, fix));
    }

    @Override
    public void close() {
        parts.close();
    }
}
