// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// What a cluster does and this machine does not: each thing in people's files that nothing comes of here. Pure.
final class Unplayable {
    private static final Set<String> GROUPS_WITH_PODS = Set.of("apps", "batch");
    private static final String CODE = "not-played-here";

    private final String file;
    private final String title;
    private final List<ManifestProblem> problems = new ArrayList<>();

    private Unplayable(String file, String title) {
        this.file = file;
        this.title = title;
    }

    static List<ManifestProblem> of(String file, String kind, Field object) {
        var found = new Unplayable(file, title(kind, object));
        found.look(kind, object);
        return found.problems;
    }

    /// As problems name objects: `Service shop/web`.
    static String title(String kind, Field object) {
        try {
            var metadata = object.at("metadata");
            return kind + " " + metadata.at("namespace").text("default") + "/"
                    + metadata.at("name").text();
        } catch (MisreadException _) {
            return kind;
        }
    }

    private void look(String kind, Field object) {
        var spec = object.at("spec");
        switch (kind) {
            case "DaemonSet", "ReplicaSet", "Job", "CronJob" -> {
                if (GROUPS_WITH_PODS.contains(group(object))) {
                    error(object.at("kind"), "nothing starts the pods of a " + kind + " here", "write a Deployment");
                }
            }
            case "Pod" -> pods(spec);
            case "HorizontalPodAutoscaler" ->
                warning(object.at("kind"), "nothing scales here", "set replicas of the Deployment");
            case "Deployment" -> pods(spec.at("template").at("spec"));
            case "StatefulSet" -> {
                pods(spec.at("template").at("spec"));
                unmounted(spec.at("volumeClaimTemplates"));
            }
            default -> {}
        }
    }

    private void pods(Field spec) {
        if (spec.at("initContainers").isPresent()) {
            error(spec.at("initContainers"), "is not run here", "do its work in the command of the container");
        }
        unmounted(spec.at("volumes"));
    }

    private void unmounted(Field volumes) {
        if (volumes.isPresent()) {
            warning(volumes, "is not mounted here: pods see the files of this machine", "leave it out");
        }
    }

    private static String group(Field object) {
        var version = object.at("apiVersion").text();
        var slash = version.indexOf('/');
        return slash < 0 ? "" : version.substring(0, slash);
    }

    private void error(Field field, String message, String fix) {
        problems.add(new ManifestProblem(
                file, field.position().line(), title, field.path(), Problem.ofInput(CODE, message, fix)));
    }

    private void warning(Field field, String message, String fix) {
        error(field, message, fix);
        problems.add(problems.removeLast().asWarning());
    }
}
