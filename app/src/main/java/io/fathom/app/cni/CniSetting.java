// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.app.settings.Setting;
import io.fathom.tools.args.Flag;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Every setting of the node agent, in the order of `--help`: environment variables with upstream's names, and flags
/// that are spelled the same with dashes. Those that upstream does not have begin with `FATHOM_`, their flags do not.
enum CniSetting implements Setting {
    FATHOM_MANIFESTS("DIR,…", "", """
            Without Kubernetes: folders with the manifests of pods and namespaces. Annotations are written there."""),
    FATHOM_NETNS_DIR("DIR", "", """
            Without Kubernetes: folder with the network namespaces of pods, each named by the pod's UID."""),
    KUBECONFIG("FILE", "", "How to reach the API server. By default what Kubernetes gives to every pod."),
    NODE_NAME("NAME", "", "The node we are on. Required."),
    AMBIENT_ENABLED("BOOL", "true", "Capture pods. Without it there is nothing to do here."),
    AMBIENT_ENABLEMENT_SELECTOR("YAML", "", """
            Which pods are captured: a list of entries with podSelector and namespaceSelector. By default those with \
            the label istio.io/dataplane-mode=ambient, and those in namespaces with it."""),
    AMBIENT_DNS_CAPTURE("BOOL", "true", "Capture DNS of pods that do not say."),
    AMBIENT_IPV6("BOOL", "true", "Capture IPv6 too."),
    AMBIENT_RECONCILE_POD_RULES_ON_STARTUP("BOOL", "true", """
            Replace rules in pods that differ from what this version would write."""),
    AMBIENT_DISABLE_SAFE_UPGRADE("BOOL", "false", """
            Always clean up at the end, also if another agent is about to take over."""),
    NATIVE_NFTABLES("BOOL", "false", "Write rules with nft instead of iptables."),
    FORCE_IPTABLES_BINARY("KIND", "", "legacy or nft, instead of finding out."),
    EXCLUDE_NAMESPACES("NS,…", "kube-system", "Namespaces whose pods are never captured."),
    SYSTEM_NAMESPACE("NS", "istio-system", "Where the node proxies are."),
    POD_NAMESPACE("NS", "", "Our own namespace; the system namespace unless set."),
    CNI_AGENT_RUN_DIR("DIR", "/var/run/istio-cni", "Where the sockets for the plugin are."),
    ZTUNNEL_UDS_ADDRESS("PATH", "/var/run/ztunnel/ztunnel.sock", "Where node proxies connect."),
    HOST_PROBE_SNAT_IP("IP", "169.254.7.127", "The address that probes of the node come from, as pods see it."),
    HOST_PROBE_SNAT_IPV6("IP", "fd16:9254:7127:1337:ffff:ffff:ffff:ffff", "The same for IPv6."),
    ALLOW_SWITCH_TO_HOST_NS("BOOL", "", """
            Write the host's rules in the network namespace of process 1. By default only with Kubernetes."""),
    FATHOM_HOST_ROOT("DIR", "", "Where the host's file system is. With Kubernetes /host, else /."),
    MONITORING_PORT("N", "15014", "HTTP: /metrics and, from loopback, /capture. 0 takes any free port."),
    FATHOM_HEALTH_PORT("N", "8000", "HTTP: /healthz and /readyz. 0 takes any free port."),
    FATHOM_LISTEN_ADDRESS("IP", "0.0.0.0", "Address that both ports listen on."),
    FATHOM_AUDIT_PERIOD("TIME", "30s", "How often all pods are compared with what they should be."),
    FATHOM_LOG_LEVEL("LEVEL", "info", "error, warn, info, debug or trace.");

    private static final String OURS = "FATHOM_";

    private final Description description;

    CniSetting(String label, String fallback, String help) {
        this.description = new Description(label, fallback, help);
    }

    static List<Flag> flags() {
        return Arrays.stream(values()).map(CniSetting::asFlag).toList();
    }

    @Override
    public Optional<Flag> flag() {
        return Optional.of(asFlag());
    }

    private Flag asFlag() {
        var word = name().startsWith(OURS) ? name().substring(OURS.length()) : name();
        return flag("--" + word.toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    @Override
    public Description description() {
        return description;
    }
}
