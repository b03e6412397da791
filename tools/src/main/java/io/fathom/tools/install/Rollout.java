// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Field;
import java.util.List;
import java.util.Optional;

/// How far Deployments and DaemonSets are, told from their status. Pure.
final class Rollout {
    private Rollout() {}

    /// What is still missing; empty when all pods are new and available.
    static Optional<String> missing(KubeObject workload) {
        var status = workload.root().at("status");
        var generation = number(workload.metadata().at("generation"));
        if (number(status.at("observedGeneration")) < generation) {
            return Optional.of("its controller has not seen it yet");
        }
        var wanted = workload.kind().equals("DaemonSet")
                ? number(status.at("desiredNumberScheduled"))
                : workload.root().at("spec").at("replicas").isPresent()
                        ? number(workload.root().at("spec").at("replicas"))
                        : 1;
        var updated = number(
                workload.kind().equals("DaemonSet")
                        ? status.at("updatedNumberScheduled")
                        : status.at("updatedReplicas"));
        var available = number(
                workload.kind().equals("DaemonSet") ? status.at("numberAvailable") : status.at("availableReplicas"));
        if (updated < wanted) {
            return Optional.of("%d of %d pods are of the new kind".formatted(updated, wanted));
        }
        return available < wanted
                ? Optional.of("%d of %d pods are available".formatted(available, wanted))
                : Optional.empty();
    }

    /// Why a pod is not ready, in the words of Kubernetes; empty when it is.
    static Optional<String> trouble(KubeObject pod) {
        var status = pod.root().at("status");
        for (var container : status.at("containerStatuses").items()) {
            var waiting = container.at("state").at("waiting");
            if (waiting.isPresent()) {
                var last = container.at("lastState").at("terminated");
                var ended = last.isPresent()
                        ? ", ended with %d: %s"
                                .formatted(
                                        number(last.at("exitCode")),
                                        last.at("reason").text())
                        : "";
                return Optional.of("%s %s%s"
                        .formatted(
                                waiting.at("reason").text(),
                                shortened(waiting.at("message").text()),
                                ended)
                        .strip());
            }
        }
        for (var condition : status.at("conditions").items()) {
            var name = condition.at("type").text();
            if (List.of("PodScheduled", "Ready").contains(name)
                    && condition.at("status").text().equals("False")) {
                return Optional.of("%s is false: %s"
                        .formatted(name, shortened(condition.at("message").text())));
            }
        }
        return isReady(pod) ? Optional.empty() : Optional.of("it has not started yet");
    }

    static boolean isReady(KubeObject pod) {
        return pod.root().at("status").at("conditions").items().stream()
                .anyMatch(condition -> condition.at("type").text().equals("Ready")
                        && condition.at("status").text().equals("True"));
    }

    private static int number(Field field) {
        return field.integer(0, Integer.MAX_VALUE).orElse(0);
    }

    private static String shortened(String text) {
        var line = text.lines().findFirst().orElse("");
        return line.length() <= 200 ? line : line.substring(0, 200) + "...";
    }
}
