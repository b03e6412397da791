// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni.plugin;

import io.fathom.app.settings.Setting;

/// What can be set about the plugin's installation: environment variables with upstream's names.
enum InstallSetting implements Setting {
    CHAINED_CNI_PLUGIN("BOOL", "true", "Join the network that is there, rather than being a file by itself."),
    CNI_CONF_NAME("FILE", "", "The network configuration to join; the first one unless set."),
    ISTIO_OWNED_CNI_CONFIG("BOOL", "false", "Leave the network configuration alone and put a copy before it."),
    ISTIO_OWNED_CNI_CONFIG_FILENAME("FILE", "", "The name of that copy; by default 02-istio-cni.conflist."),
    ISTIO_OWNED_CNI_CONF_FILENAME("FILE", "", "The same, as upstream's chart spells it."),
    CNI_CONF_GROUP_READ("BOOL", "false", "Let the group read network configurations that we make."),
    KUBECONFIG_MODE("OCTAL", "0600", "Permissions of the plugin's kubeconfig."),
    KUBE_CA_FILE("FILE", "", "The authority of the API server; that of our account unless set."),
    SKIP_TLS_VERIFY("BOOL", "false", "Let the plugin take anybody for the API server."),
    AMBIENT_ENABLED("BOOL", "true", "Let the plugin capture pods."),
    AMBIENT_ENABLEMENT_SELECTOR("YAML", "", "Which pods are captured."),
    ENABLE_AMBIENT_DETECTION_RETRY("BOOL", "false", "Ask 30 times for a pod that the API server does not give."),
    NATIVE_NFTABLES("BOOL", "false", "Told to the plugin, which does not need it."),
    EXCLUDE_NAMESPACES("NS,…", "kube-system", "Namespaces whose pods are never captured."),
    POD_NAMESPACE("NS", "istio-system", "Our own namespace."),
    CNI_AGENT_RUN_DIR("DIR", "/var/run/istio-cni", "Where sockets and kubeconfig are, here and on the host."),
    FATHOM_PLUGIN_LOG_LEVEL("LEVEL", "info", "How much the plugin says: debug, info, warn or error."),
    FATHOM_PLUGIN_DIR("DIR", "/opt/cni/bin", "The plugin's files, made by bin/lib/plugin-runtime."),
    FATHOM_HOST_BIN_DIR("DIR", "/host/opt/cni/bin", "Where container runtimes look for plugins."),
    MOUNTED_CNI_NET_DIR("DIR", "/host/etc/cni/net.d", "Where container runtimes look for network configurations."),
    FATHOM_ACCOUNT_DIR("DIR", "/var/run/secrets/kubernetes.io/serviceaccount", "Our token and CA.");

    private final Description description;

    InstallSetting(String label, String fallback, String help) {
        this.description = new Description(label, fallback, help);
    }

    @Override
    public Description description() {
        return description;
    }
}
