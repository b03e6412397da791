// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static io.fathom.control.deploy.Maps.map;

import io.fathom.control.ambient.input.ProxyKind;
import io.fathom.control.gateway.GatewayProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The pods of a gateway: one container with Envoy and its companion, or with Envoy alone. Pure.
///
/// Nothing in it may be root, gain privileges or write to its image; what has to be written goes to volumes that end
/// with the pod.
final class ProxyPod {
    private static final int PROXY_USER = 1337;
    /// Stock, of the version that our configuration is checked with.
    private static final String ENVOY = "envoyproxy/envoy:distroless-v1.40.0";
    /// How long a pod that has to go still serves those who have not heard of it.
    private static final int FAREWELL_SECONDS = 5;

    private static final Map<String, Object> TOKEN_MOUNT = mount("istio-token", "/var/run/secrets/tokens");
    private static final Map<String, Object> ROOT_MOUNT = mount("istiod-ca-cert", "/var/run/secrets/istio");
    private static final Map<String, Object> ROOT_VOLUME =
            map("name", "istiod-ca-cert", "configMap", map("name", "istio-ca-root-cert"));
    private static final Map<String, Object> TOKEN_VOLUME = map(
            "name",
            "istio-token",
            "projected",
            map(
                    "sources",
                    List.of(map(
                            "serviceAccountToken",
                            map("audience", "istio-ca", "expirationSeconds", 43200, "path", "istio-token")))));
    private static final Map<String, Object> CPU_LIMIT = map(
            "name",
            "ISTIO_CPU_LIMIT",
            "valueFrom",
            map("resourceFieldRef", map("resource", "limits.cpu", "divisor", "1")));

    private final DeployedGateway gateway;
    private final GatewayProfile profile;
    private final DeploySettings settings;
    private final MeshFacts facts;
    private final ProxyKind kind;

    ProxyPod(DeployedGateway gateway, GatewayProfile profile, DeploySettings settings, MeshFacts facts) {
        this.gateway = gateway;
        this.profile = profile;
        this.settings = settings;
        this.facts = facts;
        this.kind = settings.has(DeploySettings.Option.ALWAYS_COMPANIONS)
                ? ProxyKind.WITH_COMPANION
                : ProxyKind.of(gateway.annotations());
    }

    /// For a Deployment.
    ///
    /// @param labels that all objects of the gateway have
    Map<String, Object> template(Map<String, String> labels) {
        var podLabels = new TreeMap<>(Map.of(
                GatewayLabels.INJECT,
                "false",
                GatewayLabels.DATAPLANE_MODE,
                "none",
                GatewayLabels.CANONICAL_NAME,
                gateway.objectName(profile),
                GatewayLabels.CANONICAL_REVISION,
                "latest"));
        podLabels.putAll(labels);
        var annotations = new TreeMap<>(Map.of(
                GatewayLabels.REVISION,
                settings.revision(),
                "prometheus.io/path",
                "/stats/prometheus",
                "prometheus.io/port",
                "15020",
                "prometheus.io/scrape",
                "true"));
        annotations.putAll(gateway.infrastructureAnnotations());
        var spec = map("serviceAccountName", gateway.serviceAccount(profile));
        if (profile == GatewayProfile.INGRESS) { // it listens on the ports that people want, such as 80
            var anyPort = map("name", "net.ipv4.ip_unprivileged_port_start", "value", "0");
            spec.put("securityContext", map("sysctls", List.of(anyPort)));
        }
        spec.put("containers", List.of(container(podLabels)));
        spec.put("volumes", kind == ProxyKind.ENVOY_ONLY ? List.of(TOKEN_VOLUME, ROOT_VOLUME) : volumes());
        return map("metadata", map("annotations", annotations, "labels", podLabels), "spec", spec);
    }

    private Map<String, Object> container(Map<String, String> labels) {
        var usual = kind == ProxyKind.ENVOY_ONLY ? ENVOY : settings.image();
        var container = map(
                "name",
                "istio-proxy",
                "image",
                gateway.infrastructureAnnotations().getOrDefault(GatewayLabels.PROXY_IMAGE, usual));
        if (!settings.pullPolicy().isEmpty()) {
            container.put("imagePullPolicy", settings.pullPolicy());
        }
        if (kind == ProxyKind.ENVOY_ONLY) {
            container.put("command", List.of("envoy"));
        }
        container.put("args", kind == ProxyKind.ENVOY_ONLY ? envoyArguments(labels) : arguments());
        container.put(
                "ports",
                List.of(
                        port("metrics", 15020),
                        port("status-port", ServicePorts.STATUS),
                        port("http-envoy-prom", 15090)));
        container.put("env", kind == ProxyKind.ENVOY_ONLY ? podFacts() : environment());
        container.put(
                "resources",
                map("requests", map("cpu", "100m", "memory", "128Mi"), "limits", map("cpu", "2", "memory", "1Gi")));
        var startup = probe(1, 30);
        startup.put("initialDelaySeconds", 1);
        container.put("startupProbe", startup);
        container.put("readinessProbe", probe(15, 4));
        container.put("securityContext", security());
        container.put("volumeMounts", kind == ProxyKind.ENVOY_ONLY ? List.of(TOKEN_MOUNT, ROOT_MOUNT) : mounts());
        if (kind == ProxyKind.ENVOY_ONLY) {
            container.put("lifecycle", map("preStop", map("sleep", map("seconds", FAREWELL_SECONDS))));
        }
        return container;
    }

    private List<String> envoyArguments(Map<String, String> labels) {
        return List.of(
                "--config-yaml",
                new EnvoyOnlyBootstrap(gateway, profile, settings, facts).text(labels),
                "--file-flush-interval-msec", // as with a companion
                "1000",
                "--disable-hot-restart",
                "--allow-unknown-static-fields",
                "--drain-time-s",
                "45",
                "--drain-strategy",
                "immediate",
                "--concurrency",
                "$(ISTIO_CPU_LIMIT)",
                "--log-level",
                settings.logLevel());
    }

    /// What the kubelet knows of a pod.
    private static List<Map<String, Object>> podFacts() {
        return List.of(
                field("POD_NAME", "metadata.name"),
                field("POD_NAMESPACE", "metadata.namespace"),
                field("INSTANCE_IP", "status.podIP"),
                field("INSTANCE_IPS", "status.podIPs"),
                field("NODE_NAME", "spec.nodeName"),
                field("SERVICE_ACCOUNT", "spec.serviceAccountName"),
                CPU_LIMIT);
    }

    private List<String> arguments() {
        var arguments = new ArrayList<>(
                List.of("proxy", profile.proxyType(), "--domain", "$(POD_NAMESPACE).svc." + settings.domain()));
        if (profile != GatewayProfile.INGRESS) {
            arguments.addAll(List.of("--serviceCluster", gateway.serviceAccount(profile) + ".$(POD_NAMESPACE)"));
        }
        arguments.addAll(List.of("--proxyLogLevel", settings.logLevel(), "--log_output_level", "default:info"));
        return arguments;
    }

    private List<Map<String, Object>> environment() {
        var name = gateway.objectName(profile);
        var variables = new ArrayList<>(List.of(
                field("POD_NAME", "metadata.name"),
                field("POD_NAMESPACE", "metadata.namespace"),
                field("INSTANCE_IP", "status.podIP"),
                field("INSTANCE_IPS", "status.podIPs"),
                field("HOST_IP", "status.hostIP"),
                field("SERVICE_ACCOUNT", "spec.serviceAccountName"),
                CPU_LIMIT,
                value("PILOT_CERT_PROVIDER", "istiod"),
                value("CA_ADDR", settings.controlPlane()),
                value("TRUST_DOMAIN", facts.trustDomain()),
                value("PROXY_CONFIG", "{\"discoveryAddress\":\"" + settings.controlPlane() + "\"}"),
                field("ISTIO_META_NODE_NAME", "spec.nodeName"),
                field("ISTIO_META_SERVICE_ACCOUNT", "spec.serviceAccountName"),
                value("ISTIO_META_CLUSTER_ID", settings.clusterId()),
                value("ISTIO_META_INTERCEPTION_MODE", "REDIRECT"),
                value("ISTIO_META_MESH_ID", facts.trustDomain()),
                value("ISTIO_META_WORKLOAD_NAME", name),
                value(
                        "ISTIO_META_OWNER",
                        "kubernetes://apis/apps/v1/namespaces/" + gateway.namespace() + "/deployments/" + name)));
        if (!facts.network().isEmpty()) {
            variables.add(value("ISTIO_META_NETWORK", facts.network()));
            if (profile == GatewayProfile.EAST_WEST) {
                variables.add(value("ISTIO_META_REQUESTED_NETWORK_VIEW", facts.network()));
            }
        }
        if (!settings.compliance().isEmpty()) {
            variables.add(value("COMPLIANCE_POLICY", settings.compliance()));
        }
        return variables;
    }

    private static Map<String, Object> security() {
        return map(
                "allowPrivilegeEscalation", false,
                "capabilities", map("drop", List.of("ALL")),
                "privileged", false,
                "readOnlyRootFilesystem", true,
                "runAsGroup", PROXY_USER,
                "runAsNonRoot", true,
                "runAsUser", PROXY_USER);
    }

    private static List<Map<String, Object>> mounts() {
        return List.of(
                mount("workload-socket", "/var/run/secrets/workload-spiffe-uds"),
                ROOT_MOUNT,
                mount("istio-data", "/var/lib/istio/data"),
                mount("istio-envoy", "/etc/istio/proxy"),
                TOKEN_MOUNT,
                mount("istio-podinfo", "/etc/istio/pod"),
                mount("tmp", "/tmp")); // the companion's runtime unpacks its native parts there
    }

    private static List<Map<String, Object>> volumes() {
        return List.of(
                map("name", "workload-socket", "emptyDir", map()),
                map("name", "istio-data", "emptyDir", map()),
                map("name", "istio-envoy", "emptyDir", map("medium", "Memory")),
                map("name", "tmp", "emptyDir", map()),
                map("name", "istio-podinfo", "downwardAPI", map("items", List.of(item("labels"), item("annotations")))),
                TOKEN_VOLUME,
                ROOT_VOLUME);
    }

    private static Map<String, Object> port(String name, int number) {
        return map("name", name, "containerPort", number, "protocol", "TCP");
    }

    private static Map<String, Object> probe(int period, int failures) {
        return map(
                "failureThreshold",
                failures,
                "httpGet",
                map("path", "/healthz/ready", "port", ServicePorts.STATUS, "scheme", "HTTP"),
                "periodSeconds",
                period,
                "successThreshold",
                1,
                "timeoutSeconds",
                1);
    }

    private static Map<String, Object> field(String name, String path) {
        return map("name", name, "valueFrom", map("fieldRef", map("fieldPath", path)));
    }

    private static Map<String, Object> value(String name, String value) {
        return map("name", name, "value", value);
    }

    private static Map<String, Object> mount(String name, String path) {
        return map("name", name, "mountPath", path);
    }

    private static Map<String, Object> item(String what) {
        return map("path", what, "fieldRef", map("fieldPath", "metadata." + what));
    }
}
