// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.base.lang.DurationText;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Flag;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MergePatch;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The flags of these commands, with upstream's names, and what they mean together.
final class InstallFlags {
    static final Flag SET = Flag.of("--set", "PATH=VALUE", """
            A setting, like values.global.tag=1.2.3, values.pilot.replicaCount=2, meshConfig.accessLogFile=/dev/stdout or \
            components.cni.enabled=false. May be repeated.""").orShort("-s");
    static final Flag FILE = Flag.of("--filename", "FILE", """
            Settings in a file: an IstioOperator. May be repeated; later ones and --set win.""").orShort("-f");
    static final Flag CHARTS = Flag.of("--manifests", "DIR", """
            The charts. [FATHOM_CHARTS, default deploy/charts of the checkout]""").orShort("-d");
    static final Flag REVISION = Flag.of("--revision", "NAME", """
            Revision of the control plane.""").orShort("-r");
    static final Flag CRDS = Flag.of("--crds", "DIR", """
            Also install Istio's kinds and those of the Gateway API from the YAML files there.""");
    static final Flag YES = Flag.toggle("--skip-confirmation", "Do not ask.").orShort("-y");
    static final Flag FORCE = Flag.toggle("--force", "Go on where something is missing.");
    static final Flag VERIFY = Flag.toggle("--verify", "Look at the end whether everything is well.");
    static final Flag DRY_RUN = Flag.toggle("--dry-run", "Only say what would be done.");
    static final Flag PURGE = Flag.toggle("--purge", "Everything, of all revisions.");
    static final Flag TIMEOUT = Flag.of("--readiness-timeout", "TIME", """
            How long to wait for pods. [default 300s]""");
    static final Flag KUBE_VERSION = Flag.of("--kube-version", "VERSION", """
            The Kubernetes that the manifests are for. [default 1.34.0]""");
    static final Flag KUBECONFIG = Flag.of("--kubeconfig", "FILE", """
            How to reach the cluster. [KUBECONFIG, default ~/.kube/config]""").orShort("-c");
    static final Flag CONTEXT = Flag.of("--context", "NAME", "The context in it, rather than the current one.");
    static final Flag NAMESPACE = Flag.of("--istioNamespace", "NAME", """
            The namespace of the mesh. [default istio-system]""").orShort("-i");

    /// Those that say which cluster is meant.
    static final List<Flag> CLUSTER = List.of(KUBECONFIG, CONTEXT, NAMESPACE);

    private InstallFlags() {}

    static String namespace(Arguments arguments) {
        return arguments.value(NAMESPACE).orElse("istio-system");
    }

    /// What is to be installed, from files, then `--set`, then `--revision`.
    static MeshPlan plan(Arguments arguments) {
        var spec = Json.of(Map.of());
        for (var file : arguments.all(FILE)) {
            spec = MergePatch.apply(spec, spec(Path.of(file)));
        }
        for (var text : arguments.all(SET)) {
            spec = MergePatch.apply(spec, SetText.parse(text));
        }
        if (arguments.has(REVISION)) {
            var revision = arguments.value(REVISION).orElse("");
            spec = MergePatch.apply(spec, Json.of(Map.of("revision", revision)));
        }
        return MeshPlan.of(spec, namespace(arguments));
    }

    /// The spec of the `IstioOperator` in a file.
    private static Tree spec(Path file) {
        try {
            for (var document : Helm.documents(Files.readString(file))) {
                if (Field.root(document).at("kind").text().equals("IstioOperator")) {
                    return ((Tree.Mapping) document).entries().getOrDefault("spec", Json.of(Map.of()));
                }
            }
        } catch (IOException e) {
            throw bad("cannot read " + file, "name a file that is there");
        } catch (MisreadException e) {
            throw bad(file + ": " + e.getMessage(), e.problem().fix());
        }
        throw bad(
                file + " has no IstioOperator",
                "write apiVersion: install.istio.io/v1alpha1, kind: IstioOperator, and settings below spec");
    }

    static Duration timeout(Arguments arguments) {
        var text = arguments.value(TIMEOUT).orElse("300s");
        return DurationText.parse(text)
                .orElseThrow(() -> bad("--readiness-timeout " + text + " is no time", "write it like 300s or 5m"));
    }

    static ProblemException bad(String message, String fix) {
        return new ProblemException(Problem.ofInput("bad-command-line", message, fix));
    }
}
