// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cahelper;

import io.fathom.app.settings.Setting;
import io.fathom.tools.args.Flag;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Every setting of the helper but those of Vault, in the order of `--help`.
enum CaHelperSetting implements Setting {
    FOLDER("--folder", "FATHOM_CACERTS_DIR", "DIR", "", """
            Folder to keep the certificates in. Without it they are kept in Secret cacerts."""),
    NAMESPACE("--namespace", "POD_NAMESPACE", "NAME", "istio-system", "Namespace of that Secret."),
    KUBECONFIG("--kubeconfig", "KUBECONFIG", "FILE", "", """
            How to reach the API server. By default what Kubernetes gives to every pod."""),
    TRUST_DOMAIN("--trust-domain", "TRUST_DOMAIN", "NAME", "cluster.local", """
            Trust domain of the mesh, which the intermediate is named after."""),
    TAKE_OVER("--take-over", "FATHOM_CACERTS_TAKE_OVER", "BOOL", "false", """
            Replace certificates of somebody else, key included. Their roots stay trusted until they end."""),
    LISTEN_ADDRESS("--listen-address", "FATHOM_LISTEN_ADDRESS", "IP", "0.0.0.0", "Address that the port listens on."),
    HTTP_PORT(
            "--http-port",
            "FATHOM_HTTP_PORT",
            "N",
            "15014",
            "HTTP: /metrics, /ready, /version. 0 takes any free port."),
    LOG_LEVEL("--log-level", "FATHOM_LOG_LEVEL", "LEVEL", "info", "error, warn, info, debug or trace.");

    private final String flag;
    private final String variable;
    private final Description description;

    CaHelperSetting(String flag, String variable, String label, String fallback, String help) {
        this.flag = flag;
        this.variable = variable;
        this.description = new Description(label, fallback, help);
    }

    static List<Flag> flags(Flag... more) {
        return Stream.concat(Arrays.stream(values()).map(setting -> setting.flag(setting.flag)), Arrays.stream(more))
                .toList();
    }

    @Override
    public Optional<Flag> flag() {
        return Optional.of(flag(flag));
    }

    @Override
    public String variable() {
        return variable;
    }

    @Override
    public Description description() {
        return description;
    }
}
