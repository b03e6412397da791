// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import io.fathom.control.ambient.input.Markers;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.core.PodManifest.Owner;
import io.fathom.wire.kube.networking.WorkloadEntryManifest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The names by which telemetry knows a workload.
final class WorkloadNames {
    private static final Pattern CRON_JOB_RUN = Pattern.compile("(.+)-[0-9]{8,10}");
    private static final List<String> CANONICAL_NAME = List.of(Markers.CANONICAL_NAME, "app.kubernetes.io/name", "app");
    private static final List<String> CANONICAL_REVISION =
            List.of(Markers.CANONICAL_REVISION, "app.kubernetes.io/version", "version");

    private WorkloadNames() {}

    /// What runs the pod: its Deployment, CronJob or other controller; itself when nothing does.
    static String ofPod(PodManifest pod) {
        var chosen = pod.labels().get(Markers.WORKLOAD_NAME);
        if (chosen != null) {
            return chosen;
        }
        // Without a generated name somebody named this pod on purpose.
        return pod.controller()
                .filter(_ -> !pod.generateName().isEmpty())
                .map(owner -> ofOwner(owner, pod.labels()))
                .orElseGet(pod::name);
    }

    static String ofEntry(WorkloadEntryManifest entry, Map<String, String> labels) {
        return Optional.ofNullable(entry.annotations().get(Markers.REGISTRATION_GROUP))
                .or(() -> Optional.ofNullable(labels.get(Markers.WORKLOAD_NAME)))
                .orElseGet(entry::name);
    }

    static String canonicalName(Map<String, String> labels, String workloadName) {
        return first(labels, CANONICAL_NAME).orElse(workloadName);
    }

    static String canonicalRevision(Map<String, String> labels) {
        return first(labels, CANONICAL_REVISION).orElse("latest");
    }

    private static String ofOwner(Owner owner, Map<String, String> labels) {
        return switch (owner.kind()) {
            case "ReplicaSet" ->
                withoutHash(owner.name(), labels.get("pod-template-hash"))
                        .or(() -> withoutHash(owner.name(), labels.get("rollouts-pod-template-hash")))
                        .orElse(owner.name());
            case "ReplicationController" -> labels.getOrDefault("deploymentconfig", owner.name());
            case "Job" -> {
                var run = CRON_JOB_RUN.matcher(owner.name());
                yield run.matches() ? run.group(1) : owner.name();
            }
            default -> owner.name();
        };
    }

    private static Optional<String> withoutHash(String name, @Nullable String hash) {
        return hash != null && name.endsWith("-" + hash)
                ? Optional.of(name.substring(0, name.length() - hash.length() - 1))
                : Optional.empty();
    }

    private static Optional<String> first(Map<String, String> labels, List<String> keys) {
        for (var key : keys) {
            var value = labels.get(key);
            if (value != null) {
                return Optional.of(value);
            }
        }
        return Optional.empty();
    }
}
