package io.fathom.app.fathomd;

import io.fathom.control.ambient.Feature;
import io.fathom.tools.args.Flag;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Every setting of fathomd, in the order of `--help`. A flag wins over the environment, which wins over the default.
/// Where upstream has a variable for it, that name is used. Switches of upstream's that have no flag of their own are
/// set through the environment only.
enum Setting {
    MANIFESTS("--manifests", "FATHOM_MANIFESTS", "DIR", "", """
            Folder of Kubernetes manifests: every *.yaml, *.yml and *.json below it, watched while fathomd runs. Required."""),
    LISTEN_ADDRESS("--listen-address", "FATHOM_LISTEN_ADDRESS", "IP", "0.0.0.0", """
            Address that all ports listen on."""),
    PLAINTEXT_PORT("--plaintext-port", "FATHOM_PLAINTEXT_PORT", "N", "15010", """
            xDS without TLS. 0 takes any free port, here and below."""),
    TLS_PORT("--tls-port", "FATHOM_TLS_PORT", "N", "15012", "xDS over TLS."),
    HTTP_PORT("--http-port", "FATHOM_HTTP_PORT", "N", "15014", """
            HTTP: /metrics, /ready, /version and, from loopback, /debug."""),
    CLUSTER_ID("--cluster-id", "CLUSTER_ID", "ID", "Kubernetes", "Name of the cluster that the manifests describe."),
    NETWORK("--network", "FATHOM_NETWORK", "ID", "", """
            Network of the cluster. The label topology.istio.io/network on the system namespace wins."""),
    TRUST_DOMAIN("--trust-domain", "TRUST_DOMAIN", "NAME", "cluster.local", """
            Trust domain of identities. MeshConfig trustDomain wins."""),
    DOMAIN("--domain", "FATHOM_DOMAIN", "NAME", "cluster.local", "DNS domain of the cluster's services."),
    SYSTEM_NAMESPACE("--system-namespace", "POD_NAMESPACE", "NAME", "istio-system", """
            Namespace of the control plane: holds ConfigMap istio and the network label."""),
    ROOT_NAMESPACE("--root-namespace", "FATHOM_ROOT_NAMESPACE", "NAME", "", """
            Namespace whose policies hold for the whole mesh. MeshConfig rootNamespace wins; otherwise the system \
            namespace."""),
    REVISION("--revision", "REVISION", "NAME", "default", """
            Revision of this control plane: Istio objects labelled for another one are ignored."""),
    ROOT_CERT_FILE("--root-cert-file", "FATHOM_ROOT_CERT_FILE", "FILE", "", """
            Where to write the root certificate (PEM) that verifies the TLS port."""),
    LOG_LEVEL("--log-level", "FATHOM_LOG_LEVEL", "LEVEL", "info", "error, warn, info, debug or trace."),
    CUSTOM_HOST("", "ISTIOD_CUSTOM_HOST", "HOST,…", "", "More DNS names for the certificate of the TLS port."),
    DRY_RUN_POLICIES(Feature.DRY_RUN_AUTHORIZATION, """
            Serve policies annotated istio.io/dry-run as dry runs instead of refusing them."""),
    MULTI_NETWORK(Feature.MULTI_NETWORK, """
            Fold workloads of other networks behind their network's gateway."""),
    ALLOW_WAYPOINTS(Feature.AUTO_ALLOW_WAYPOINT, """
            Make a policy for each waypoint that lets it reach what it serves."""),
    SERVICES_SELECT_ENTRIES(Feature.SERVICES_SELECT_ENTRIES, """
            Let Services select WorkloadEntries."""),
    ENTRIES_SELECT_PODS(Feature.ENTRIES_SELECT_PODS, """
            Let ServiceEntries select pods."""),
    ALLOCATE_ADDRESSES(Feature.ADDRESS_ALLOCATION, "Give addresses to ServiceEntries without any."),
    IPV4_PREFIX("", "PILOT_IP_AUTOALLOCATE_IPV4_PREFIX", "CIDR", "240.240.0.0/16", """
            Where addresses for ServiceEntries without any come from."""),
    IPV6_PREFIX("", "PILOT_IP_AUTOALLOCATE_IPV6_PREFIX", "CIDR", "2001:2::/48", "Likewise, IPv6.");

    private final String flag;
    private final String variable;
    private final String label;
    private final String fallback;
    private final String help;
    private final Optional<Feature> feature;

    Setting(String flag, String variable, String label, String fallback, String help) {
        this(flag, variable, label, fallback, help, Optional.empty());
    }

    Setting(Feature feature, String help) {
        this("", feature.variable(), "BOOL", String.valueOf(feature.onByDefault()), help, Optional.of(feature));
    }

    Setting(String flag, String variable, String label, String fallback, String help, Optional<Feature> feature) {
        this.variable = variable;
        this.label = label;
        this.fallback = fallback;
        this.help = help;
        this.feature = feature;
        this.flag = flag;
    }

    static List<Setting> withoutFlag() {
        return Arrays.stream(values()).filter(setting -> setting.flag.isEmpty()).toList();
    }

    /// Empty when it can only be set through the environment.
    Optional<Flag> flag() {
        var brackets = variable + (fallback.isEmpty() ? "" : ", default " + fallback);
        return flag.isEmpty() ? Optional.empty() : Optional.of(Flag.of(flag, label, help + " [" + brackets + "]"));
    }

    String variable() {
        return variable;
    }

    /// What its value is, in a word.
    String label() {
        return label;
    }

    String fallback() {
        return fallback;
    }

    String help() {
        return help;
    }

    /// The switch of the derivations that it sets.
    Optional<Feature> feature() {
        return feature;
    }
}
