// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import io.fathom.control.envoy.telemetry.PeerState.Part;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.Situation;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The labels of the mesh's metrics, as format strings by name. They stand in every chain once for each metric, and are
/// filled in for every request: short and without expressions where that can be. What is not known of a destination is
/// empty; whoever serves metrics to Prometheus says `unknown` there.
final class MetricLabels {
    static final String PRINCIPAL = "%FILTER_STATE(" + PeerState.PRINCIPAL + ":PLAIN)%";
    private static final String CANONICAL_NAME = "service.istio.io/canonical-name";
    private static final String CANONICAL_REVISION = "service.istio.io/canonical-revision";

    private static final String GRPC_OR_HTTP =
            "%CEL('content-type' in request.headers && request.headers['content-type'].startsWith('application/grpc')"
                    + " ? 'grpc' : 'http')%";

    private MetricLabels() {}

    static Map<String, String> http(Situation situation) {
        var labels = common(situation);
        labels.put("request_protocol", GRPC_OR_HTTP);
        labels.put("response_code", "%RESPONSE_CODE%");
        labels.put("grpc_response_status", "%GRPC_STATUS_NUMBER%");
        labels.put("response_flags", "%RESPONSE_FLAGS%");
        return labels;
    }

    static Map<String, String> tcp(Situation situation) {
        var labels = common(situation);
        labels.put("request_protocol", "tcp");
        labels.put("response_flags", "%RESPONSE_FLAGS%");
        return labels;
    }

    private static Map<String, String> common(Situation situation) {
        var labels = new LinkedHashMap<String, String>();
        if (situation.group().role() == ProxyRole.INGRESS) {
            labels.put("reporter", "source");
            ownLabels(labels, situation.group());
            labels.put("connection_security_policy", PeerState.UNKNOWN);
        } else {
            labels.put("reporter", "waypoint");
            peerLabels(labels);
            labels.put("connection_security_policy", "mutual_tls");
        }
        labels.put("destination_workload", UpstreamState.metric("name"));
        labels.put("destination_workload_namespace", UpstreamState.metric("namespace"));
        labels.put("destination_principal", UpstreamState.metric("principal"));
        labels.put("destination_app", UpstreamState.metric("canonical"));
        labels.put("destination_version", UpstreamState.metric("revision"));
        labels.put("destination_canonical_service", UpstreamState.metric("canonical"));
        labels.put("destination_canonical_revision", UpstreamState.metric("revision"));
        labels.put("destination_cluster", UpstreamState.metric("cluster"));
        var service = situation.service();
        labels.put("destination_service", service.map(MeshService::hostname).orElse(UpstreamState.service("host")));
        labels.put(
                "destination_service_name", service.map(own -> serviceName(own)).orElse(UpstreamState.service("name")));
        labels.put(
                "destination_service_namespace",
                service.map(MeshService::namespace).orElse(UpstreamState.service("namespace")));
        return labels;
    }

    private static String serviceName(MeshService service) {
        return service.origin() == MeshService.Origin.SERVICE
                ? service.metadata().key().name()
                : service.hostname();
    }

    /// A waypoint speaks of the peer of the tunnel.
    private static void peerLabels(Map<String, String> labels) {
        labels.put("source_workload", Part.WORKLOAD.format());
        labels.put("source_workload_namespace", Part.NAMESPACE.format());
        labels.put("source_principal", PRINCIPAL);
        labels.put("source_app", Part.CANONICAL.format());
        labels.put("source_version", Part.REVISION.format());
        labels.put("source_canonical_service", Part.CANONICAL.format());
        labels.put("source_canonical_revision", Part.REVISION.format());
        labels.put("source_cluster", Part.CLUSTER.format());
    }

    /// A gateway speaks of itself.
    private static void ownLabels(Map<String, String> labels, ProxyGroup group) {
        var canonical = canonicalService(group);
        var revision = canonicalRevision(group);
        labels.put("source_workload", group.gateway().name());
        labels.put("source_workload_namespace", group.namespace());
        labels.put("source_principal", PeerState.UNKNOWN);
        labels.put("source_app", group.labels().getOrDefault("app", canonical));
        labels.put("source_version", group.labels().getOrDefault("version", revision));
        labels.put("source_canonical_service", canonical);
        labels.put("source_canonical_revision", revision);
        labels.put("source_cluster", orUnknown(group.gateway().cluster()));
    }

    static String canonicalService(ProxyGroup group) {
        return Optional.ofNullable(group.labels().get(CANONICAL_NAME))
                .orElse(group.gateway().name());
    }

    static String canonicalRevision(ProxyGroup group) {
        return group.labels().getOrDefault(CANONICAL_REVISION, "latest");
    }

    static String orUnknown(String value) {
        return value.isEmpty() ? PeerState.UNKNOWN : value;
    }
}
