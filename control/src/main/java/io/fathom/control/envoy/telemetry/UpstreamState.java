// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import io.fathom.model.mesh.Workload;
import java.util.LinkedHashMap;
import java.util.Map;

/// What endpoints and clusters tell about where a request went: metadata `istio` of an endpoint ([#labels]), and format
/// strings that read it. Each label has a field of its own, because taking one text apart would cost a regular
/// expression for each label of each metric of each request.
public final class UpstreamState {
    static final String WORKLOAD = endpoint("name");
    static final String NAMESPACE = endpoint("namespace");
    static final String CANONICAL = endpoint("canonical");
    static final String REVISION = endpoint("revision");
    static final String CLUSTER = endpoint("cluster");

    private UpstreamState() {}

    /// What an endpoint tells about its workload. `workload` is for tools: all of it in one text, where the revision
    /// `latest` is left blank.
    public static Map<String, String> labels(Workload workload) {
        var latest = workload.canonicalRevision().isEmpty()
                || workload.canonicalRevision().equals("latest");
        var labels = new LinkedHashMap<String, String>();
        labels.put("name", workload.workloadName());
        labels.put("namespace", workload.namespace());
        labels.put("canonical", workload.canonicalName());
        labels.put("revision", latest ? "latest" : workload.canonicalRevision());
        labels.put("cluster", workload.clusterId());
        workload.identity().ifPresent(identity -> labels.put("principal", identity.uri()));
        labels.values().removeIf(String::isEmpty);
        labels.put(
                "workload",
                String.join(
                        ";",
                        workload.workloadName(),
                        workload.namespace(),
                        workload.canonicalName(),
                        latest ? "" : workload.canonicalRevision(),
                        workload.clusterId()));
        return labels;
    }

    /// A field of the first service that the chosen cluster stands for: `host`, `name` or `namespace`.
    static String service(String field) {
        var metadata = "xds.cluster_metadata.filter_metadata";
        return "%CEL(has(xds.cluster_metadata) && 'istio' in " + metadata + " && 'services' in " + metadata
                + "['istio'] ? " + metadata + "['istio']['services'][0]['" + field + "'] : '" + PeerState.UNKNOWN
                + "')%";
    }

    /// The same for metrics: shorter, and empty where nothing is known.
    static String metric(String field) {
        return "%METADATA(UPSTREAM_HOST:istio:" + field + ")%";
    }

    private static String endpoint(String field) {
        var metadata = "xds.upstream_host_metadata.filter_metadata";
        return "%CEL(has(xds.upstream_host_metadata) && 'istio' in " + metadata + " && '" + field + "' in " + metadata
                + "['istio'] ? " + metadata + "['istio']['" + field + "'] : '" + PeerState.UNKNOWN + "')%";
    }
}
