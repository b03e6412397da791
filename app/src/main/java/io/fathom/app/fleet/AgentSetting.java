// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.settings.Setting;
import io.fathom.tools.args.Flag;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// Every setting of an agent, in the order of `--help`.
enum AgentSetting implements Setting {
    SERVER("HOST:PORT,…", "", "The management server; several are tried in turn. Required."),
    TOKEN("TOKEN", "", "To join with: fathomctl fleet token CLUSTER makes one. A member needs none."),
    CLUSTER_ID("NAME", "", "Name of this cluster, as its control plane has it. Required."),
    CLUSTER_UID("UID", "", """
            UID of this cluster. By default that of namespace kube-system, or with --manifests one that is made up \
            and kept."""),
    STATE_DIR("DIR", "", "Folder with the key, and with what is known of the fleet."),
    STATE_SECRET("NS/NAME", "", "On Kubernetes instead of --state-dir: the Secret for that."),
    MANIFESTS("DIR", "", "Without Kubernetes: folder with the manifests of the cluster."),
    OUTPUT("DIR", "", "Without Kubernetes: folder that Gateways are written to."),
    KUBECONFIG("FILE", "", "How to reach the API server. By default what Kubernetes gives to every pod."),
    CONTROL_PLANE("URL", "", """
            Control plane of this cluster, which is told what services the others have, such as \
            https://istiod.istio-system.svc:15012, or on this machine http://127.0.0.1:15010. Without it, it asks the \
            control planes of the others itself."""),
    CONTROL_PLANE_ROOT("FILE", "/var/run/secrets/istio/root-cert.pem", "Root certificate of that control plane."),
    CONTROL_PLANE_TOKEN("FILE", "/var/run/secrets/tokens/istio-token", """
            Token of account fathom-agent of the system namespace, for audience istio-ca."""),
    STOCK_ISTIOD("BOOL", "false", """
            The control plane of this cluster is a stock istiod: services of other clusters become ServiceEntries and \
            WorkloadEntries beside the Gateways, 5,000 at most. On an API server, without --control-plane."""),
    SYSTEM_NAMESPACE("NS", "istio-system", """
            Namespace of the control plane. The roots of this cluster are read there, and those of other clusters are \
            written there."""),
    ROOT_FILE("FILE", "", """
            Root certificates of this cluster's mesh, which other clusters of the fleet are told. By default those of \
            ConfigMap istio-ca-root-cert of the system namespace; without Kubernetes none."""),
    NAMESPACE("NS", "istio-eastwest", "Where the east-west gateway is, and where Gateways are written."),
    NETWORK("NAME", "", """
            Network of this cluster, unless label topology.istio.io/network of its gateway says so. By default the \
            name of the cluster."""),
    TRUST_DOMAIN("NAME", "cluster.local", "Trust domain of this cluster's mesh."),
    REGION("NAME", "", "Where this cluster is, unless a label of its gateway says so."),
    ZONE("NAME", "", "Likewise."),
    IMPORTS("NS,…", "*", "Namespaces, or services as NAMESPACE/NAME, that are wanted of other clusters; * for all."),
    LISTEN_ADDRESS("IP", "0.0.0.0", "Address that the port listens on."),
    HTTP_PORT("N", "9902", "HTTP: /ready, /metrics and, from loopback, /debug/agentz. 0 takes any free port."),
    LOG_LEVEL("LEVEL", "info", "error, warn, info, debug or trace.");

    private final Description description;

    AgentSetting(String label, String fallback, String help) {
        this.description = new Description(label, fallback, help);
    }

    static List<Flag> flags(Flag... more) {
        return Stream.concat(Arrays.stream(values()).map(AgentSetting::asFlag), Arrays.stream(more))
                .toList();
    }

    @Override
    public Optional<Flag> flag() {
        return Optional.of(asFlag());
    }

    private Flag asFlag() {
        return flag("--" + name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    /// What other programs know by the same name has no prefix.
    @Override
    public String variable() {
        return switch (this) {
            case CLUSTER_ID, KUBECONFIG -> name();
            default -> "FATHOM_AGENT_" + name();
        };
    }

    @Override
    public Description description() {
        return description;
    }
}
