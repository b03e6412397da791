// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.model.mesh.Workload;
import io.fathom.node.telemetry.Party;
import java.util.Locale;
import java.util.Optional;

/// What one side tells the other about its workload, in the `baggage` header. For telemetry only: nobody proves it.
public record Baggage(
        String cluster,
        String namespace,
        Optional<Workload.Type> type,
        String workload,
        String service,
        String revision,
        String region,
        String zone) {
    private static final String TYPED_PREFIX = "k8s.";
    private static final String TYPED_SUFFIX = ".name";

    public static Baggage of(Workload workload) {
        return new Baggage(
                workload.clusterId(),
                workload.namespace(),
                Optional.of(workload.type()),
                workload.workloadName(),
                workload.canonicalName(),
                workload.canonicalRevision(),
                workload.locality().region(),
                workload.locality().zone());
    }

    /// Empty items are left out.
    public String text() {
        var text = new StringBuilder(192);
        item(text, "k8s.cluster.name", cluster);
        item(text, "k8s.namespace.name", namespace);
        type.ifPresent(
                kind -> item(text, TYPED_PREFIX + kind.name().toLowerCase(Locale.ROOT) + TYPED_SUFFIX, workload));
        item(text, "service.name", service);
        item(text, "service.version", revision);
        item(text, "cloud.region", region);
        item(text, "cloud.availability_zone", zone);
        return text.toString();
    }

    private static void item(StringBuilder text, String key, String value) {
        if (!value.isEmpty()) {
            if (!text.isEmpty()) {
                text.append(',');
            }
            text.append(key).append('=').append(value);
        }
    }

    /// Takes what it understands and passes over the rest.
    public static Baggage parse(String text) {
        var cluster = "";
        var namespace = "";
        Optional<Workload.Type> type = Optional.empty();
        var workload = "";
        var service = "";
        var revision = "";
        var region = "";
        var zone = "";
        for (var item : text.split(",", -1)) {
            var equals = item.indexOf('=');
            if (equals < 0) {
                continue;
            }
            var key = item.substring(0, equals).strip();
            var value = item.substring(equals + 1).strip();
            switch (key) {
                case "k8s.cluster.name" -> cluster = value;
                case "k8s.namespace.name" -> namespace = value;
                case "service.name" -> service = value;
                case "service.version" -> revision = value;
                case "cloud.region" -> region = value;
                case "cloud.availability_zone" -> zone = value;
                default -> {
                    var kind = kind(key);
                    if (kind.isPresent()) {
                        type = kind;
                        workload = value;
                    }
                }
            }
        }
        return new Baggage(cluster, namespace, type, workload, service, revision, region, zone);
    }

    private static Optional<Workload.Type> kind(String key) {
        if (key.startsWith(TYPED_PREFIX) && key.endsWith(TYPED_SUFFIX)) {
            for (var type : Workload.Type.values()) {
                if (key.equals(TYPED_PREFIX + type.name().toLowerCase(Locale.ROOT) + TYPED_SUFFIX)) {
                    return Optional.of(type);
                }
            }
        }
        return Optional.empty();
    }

    public Party party() {
        return new Party(workload, workload, namespace, service, revision, cluster, region, zone, Optional.empty());
    }
}
