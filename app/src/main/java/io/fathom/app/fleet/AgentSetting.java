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
    STATE_DIR("DIR", "", "Folder with the key, and with what is known of the fleet. Required."),
    MANIFESTS("DIR", "", "Without Kubernetes: folder with the manifests of the cluster."),
    OUTPUT("DIR", "", "Without Kubernetes: folder that Gateways are written to."),
    KUBECONFIG("FILE", "", "How to reach the API server. By default what Kubernetes gives to every pod."),
    NAMESPACE("NS", "istio-eastwest", "Where the east-west gateway is, and where Gateways are written."),
    NETWORK("NAME", "", """
            Network of this cluster, unless label topology.istio.io/network of its gateway says so. By default the \
            name of the cluster."""),
    TRUST_DOMAIN("NAME", "cluster.local", "Trust domain of this cluster's mesh."),
    REGION("NAME", "", "Where this cluster is, unless a label of its gateway says so."),
    ZONE("NAME", "", "Likewise."),
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
