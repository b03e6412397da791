package io.fathom.control.deploy;

import static io.fathom.control.deploy.Maps.map;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The pods of a gateway: one container with Envoy and its companion. Pure.
///
/// Nothing in it may be root, gain privileges or write to its image; what has to be written goes to volumes that end
/// with the pod.
final class ProxyPod {
    private static final int PROXY_USER = 1337;

    private final GatewayObject gateway;
    private final GatewayProfile profile;
    private final DeploySettings settings;
    private final MeshFacts facts;

    ProxyPod(GatewayObject gateway, GatewayProfile profile, DeploySettings settings, MeshFacts facts) {
        this.gateway = gateway;
        this.profile = profile;
        this.settings = settings;
        this.facts = facts;
    }

    /// For a Deployment.
    ///
    /// @param labels that all objects of the gateway have
    Map<String, Object> template(Map<String, String> labels) {
        var podLabels = new TreeMap<>(Map.of(
                Words.INJECT,
                "false",
                Words.DATAPLANE_MODE,
                "none",
                Words.CANONICAL_NAME,
                gateway.objectName(profile),
                Words.CANONICAL_REVISION,
                "latest"));
        podLabels.putAll(labels);
        var annotations = new TreeMap<>(Map.of(
                Words.REVISION,
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
        spec.put("containers", List.of(container()));
        spec.put("volumes", volumes());
        return map("metadata", map("annotations", annotations, "labels", podLabels), "spec", spec);
    }

    private Map<String, Object> container() {
        var container = map(
                "name",
                "istio-proxy",
                "image",
                gateway.infrastructureAnnotations().getOrDefault(Words.PROXY_IMAGE, settings.image()));
        if (!settings.pullPolicy().isEmpty()) {
            container.put("imagePullPolicy", settings.pullPolicy());
        }
        container.put("args", arguments());
        container.put(
                "ports",
                List.of(
                        port("metrics", 15020),
                        port("status-port", ServicePorts.STATUS),
                        port("http-envoy-prom", 15090)));
        container.put("env", environment());
        container.put(
                "resources",
                map("requests", map("cpu", "100m", "memory", "128Mi"), "limits", map("cpu", "2", "memory", "1Gi")));
        var startup = probe(1, 30);
        startup.put("initialDelaySeconds", 1);
        container.put("startupProbe", startup);
        container.put("readinessProbe", probe(15, 4));
        container.put("securityContext", security());
        container.put("volumeMounts", mounts());
        return container;
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
                map(
                        "name",
                        "ISTIO_CPU_LIMIT",
                        "valueFrom",
                        map("resourceFieldRef", map("resource", "limits.cpu", "divisor", "1"))),
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
                mount("istiod-ca-cert", "/var/run/secrets/istio"),
                mount("istio-data", "/var/lib/istio/data"),
                mount("istio-envoy", "/etc/istio/proxy"),
                mount("istio-token", "/var/run/secrets/tokens"),
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
                map(
                        "name",
                        "istio-token",
                        "projected",
                        map(
                                "sources",
                                List.of(map(
                                        "serviceAccountToken",
                                        map(
                                                "audience", "istio-ca",
                                                "expirationSeconds", 43200,
                                                "path", "istio-token"))))),
                map("name", "istiod-ca-cert", "configMap", map("name", "istio-ca-root-cert")));
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
