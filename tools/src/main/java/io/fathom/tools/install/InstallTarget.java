// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Flag;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Where commands act: which cluster, which charts. Read from flags and environment.
public record InstallTarget(Arguments arguments, Map<String, String> environment) {
    /// Those that say which cluster is meant.
    public static final List<Flag> FLAGS = InstallFlags.CLUSTER;

    /// The namespace of the mesh.
    public String namespace() {
        return InstallFlags.namespace(arguments);
    }

    public KubeClient client() {
        return client(arguments.value(InstallFlags.CONTEXT));
    }

    /// Of another context than the one that the flags name.
    KubeClient client(Optional<String> other) {
        var file = kubeconfig();
        var config =
                other.map(context -> KubeConfig.fromFile(file, context)).orElseGet(() -> KubeConfig.fromFile(file));
        return new KubeClient(config, KubeSettings.DEFAULT);
    }

    Helm helm(String namespace) {
        var cluster = new ArrayList<>(List.of("--kubeconfig=" + kubeconfig()));
        arguments.value(InstallFlags.CONTEXT).ifPresent(context -> cluster.add("--kube-context=" + context));
        return Helm.find(environment.getOrDefault("PATH", ""), cluster, namespace);
    }

    /// A helm that asks no cluster.
    Helm renderer(String namespace) {
        return Helm.find(environment.getOrDefault("PATH", ""), List.of(), namespace);
    }

    Path chart(Chart chart) {
        return chart(chart.folder(), InstallFlags.CHARTS);
    }

    /// @param flag that names the folder of all charts
    Path chart(String name, Flag flag) {
        var folder = arguments
                .value(flag)
                .or(() -> Optional.ofNullable(environment.get("FATHOM_CHARTS")))
                .map(Path::of)
                .orElse(Path.of("deploy", "charts"));
        if (!Files.exists(folder.resolve(name).resolve("Chart.yaml"))) {
            throw InstallFlags.bad(
                    "the chart " + name + " is not in " + folder,
                    "name the folder of the charts: " + flag.name() + " DIR");
        }
        return folder.resolve(name);
    }

    Path kubeconfig() {
        var home = Path.of(environment.getOrDefault("HOME", "/"), ".kube", "config");
        return arguments
                .value(InstallFlags.KUBECONFIG)
                .or(() -> Optional.ofNullable(environment.get("KUBECONFIG")).filter(text -> !text.isEmpty()))
                .map(Path::of)
                .orElse(home);
    }
}
