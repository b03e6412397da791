// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.Tree;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The program `helm`: renders charts and keeps the records of releases. Each call waits for it. Stateless.
///
/// @param cluster the flags that name the cluster; empty to let it find one
record Helm(Path program, List<String> cluster, String namespace) {
    private static final String OLDEST_HELP = "get version 3 or later from the Helm project and put it on the PATH";

    /// A release as `helm list` tells it.
    ///
    /// @param chart with its version
    record Release(String name, String chart, String status, String appVersion) {}

    Helm {
        cluster = List.copyOf(cluster);
    }

    /// @param path directories to look in, as in the variable PATH
    /// @throws ProblemException when it is not there or too old
    static Helm find(String path, List<String> cluster, String namespace) {
        var program = Stream.of(path.split(File.pathSeparator, -1))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, "helm"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> problem("no-helm", "the program helm is not on the PATH", OLDEST_HELP));
        var helm = new Helm(program, cluster, namespace);
        var version = helm.run(List.of("version", "--template", "{{.Version}}")).strip();
        if (version.matches("v[012]\\..*")) {
            throw problem("old-helm", program + " is version " + version, OLDEST_HELP);
        }
        return helm;
    }

    /// The same for another namespace.
    Helm in(String other) {
        return new Helm(program, cluster, other);
    }

    /// The objects that a chart consists of, without asking a cluster.
    String template(Path chart, String release, Tree values, String kubeVersion) {
        return withValues(
                values,
                file -> run(List.of(
                        "template",
                        release,
                        chart.toString(),
                        "--namespace=" + namespace,
                        "--values=" + file,
                        "--kube-version=" + kubeVersion)));
    }

    /// Makes the release or changes it.
    void install(Path chart, String release, Tree values) {
        var _ = withValues(
                values,
                file -> run(words(
                        "upgrade",
                        release,
                        chart.toString(),
                        "--install",
                        "--values=" + file,
                        "--reset-values",
                        "--history-max=5")));
    }

    void uninstall(String release) {
        var _ = run(words("uninstall", release, "--ignore-not-found"));
    }

    /// All releases of the namespace, ours and others.
    List<Release> releases() {
        var answer = Json.parse("helm list", run(words("list", "--all", "--output=json")));
        return Field.root(Json.of(Map.of("releases", answer))).at("releases").items().stream()
                .map(item -> new Release(
                        item.at("name").text(),
                        item.at("chart").text(),
                        item.at("status").text(),
                        item.at("app_version").text()))
                .toList();
    }

    /// The objects of a release, as they were installed.
    List<Tree> objects(String release) {
        return documents(run(words("get", "manifest", release)));
    }

    /// The documents of a YAML text.
    static List<Tree> documents(String yaml) {
        var trees = new ArrayList<Tree>();
        for (var document : Documents.ofYaml("manifest", yaml, Limits.DEFAULT)) {
            switch (document) {
                case Document.Parsed parsed -> {
                    if (parsed.root() instanceof Tree.Mapping) {
                        trees.add(parsed.root());
                    }
                }
                case Document.Broken broken -> throw broken.cause();
            }
        }
        return trees;
    }

    private List<String> words(String... words) {
        var all = new ArrayList<>(List.of(words));
        all.add("--namespace=" + namespace);
        all.addAll(cluster);
        return all;
    }

    private interface WithFile {
        String run(Path file);
    }

    private static String withValues(Tree values, WithFile action) {
        try {
            var file = Files.createTempFile("fathom-values", ".json");
            try {
                Files.writeString(file, Json.compact(values));
                return action.run(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String run(List<String> words) {
        var line = new ArrayList<>(List.of(program.toString()));
        line.addAll(words);
        try {
            var errors = Files.createTempFile("fathom-helm", ".log");
            try {
                var process = new ProcessBuilder(line)
                        .redirectError(errors.toFile())
                        .redirectInput(new File("/dev/null"))
                        .start();
                var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                if (process.waitFor() != 0) {
                    throw failed(words, Files.readString(errors));
                }
                return output;
            } finally {
                Files.delete(errors);
            }
        } catch (IOException e) {
            throw problem(
                    "helm-failed", program + " could not be run: " + e.getMessage(), "check that it is a program");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw problem("helm-failed", "helm " + words.getFirst() + " was interrupted", "repeat it");
        }
    }

    private static ProblemException failed(List<String> words, String errors) {
        var what = "helm %s %s: %s"
                .formatted(
                        words.get(0),
                        words.size() > 1 ? words.get(1) : "",
                        errors.replaceAll("(?m)^(Error: |Use --debug.*\\R?|WARNING: .*\\R?)", "")
                                .strip());
        var fix = errors.contains("schema")
                ? "correct the value that is named; deploy/charts has what there is"
                : errors.contains("another operation")
                        ? "wait for the other one, or see: helm list --all --namespace NAMESPACE"
                        : "see what it says above";
        return problem("helm-failed", what, fix);
    }

    private static ProblemException problem(String code, String message, String fix) {
        return new ProblemException(new Problem(code, message, fix, Problem.Origin.CLIENT, Problem.Retry.POINTLESS));
    }
}
