// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni.plugin;

import static io.fathom.app.cni.plugin.InstallSetting.*;

import io.fathom.app.settings.Settings;
import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.install.InstallConfig;
import io.fathom.node.cni.install.InstallConfig.FileModes;
import io.fathom.node.cni.install.InstallConfig.Joining;
import io.fathom.node.cni.install.InstallConfig.ServerTrust;
import io.fathom.node.cni.install.PluginEntry;
import io.fathom.node.cni.install.PluginEntry.Switch;
import io.fathom.node.cni.install.UpgradeCheck.WhenUnknown;
import io.fathom.tools.args.Arguments;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.Tree;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// What the node agent's environment says about the plugin and its installation.
public final class InstallSettings {
    private static final Pattern MODE = Pattern.compile("0?[0-7]{3}");
    private static final String MODE_LABEL = "istio.io/dataplane-mode";

    private final Settings settings;
    private final Map<String, String> environment;

    private InstallSettings(Map<String, String> environment) {
        this.settings = Settings.of(List.of(values()), Arguments.parse(List.of(), new String[0]), environment);
        this.environment = environment;
    }

    /// What to install, and where.
    ///
    /// @throws ProblemException that names the variable and what to write instead
    public static InstallConfig of(Map<String, String> environment) {
        return new InstallSettings(environment).config();
    }

    /// What to do at the end when the API server does not say whether another agent follows.
    public static WhenUnknown whenUnknown(InstallConfig config) {
        return config.joining() instanceof Joining.Owned ? WhenUnknown.KEEP : WhenUnknown.CLEAN_UP;
    }

    private InstallConfig config() {
        return new InstallConfig(
                path(FATHOM_PLUGIN_DIR),
                path(FATHOM_HOST_BIN_DIR),
                path(MOUNTED_CNI_NET_DIR),
                path(CNI_AGENT_RUN_DIR).resolve(InstallConfig.KUBECONFIG_FILE),
                path(FATHOM_ACCOUNT_DIR),
                KubeConfig.serviceAddress(environment),
                given(KUBE_CA_FILE).map(Path::of),
                settings.on(SKIP_TLS_VERIFY) ? ServerTrust.ANYBODY : ServerTrust.AUTHORITY,
                joining(),
                given(CNI_CONF_NAME),
                new FileModes(mode(), settings.on(CNI_CONF_GROUP_READ) ? "rw-r-----" : "rw-------"),
                entry());
    }

    private Joining joining() {
        if (!settings.on(CHAINED_CNI_PLUGIN)) {
            return new Joining.Alone(given(CNI_CONF_NAME).orElse(InstallConfig.ALONE_FILE));
        }
        var name = given(ISTIO_OWNED_CNI_CONFIG_FILENAME).or(() -> given(ISTIO_OWNED_CNI_CONF_FILENAME));
        return settings.on(ISTIO_OWNED_CNI_CONFIG)
                ? new Joining.Owned(name.orElse(InstallConfig.OWNED_FILE))
                : new Joining.Chained();
    }

    private PluginEntry entry() {
        return new PluginEntry(
                on(AMBIENT_ENABLED),
                settings.text(CNI_AGENT_RUN_DIR),
                selectors(),
                on(ENABLE_AMBIENT_DETECTION_RETRY),
                settings.words(EXCLUDE_NAMESPACES),
                on(NATIVE_NFTABLES),
                settings.text(FATHOM_PLUGIN_LOG_LEVEL),
                settings.text(POD_NAMESPACE));
    }

    private Tree selectors() {
        if (settings.text(AMBIENT_ENABLEMENT_SELECTOR).isBlank()) {
            var ambient = Map.of("matchLabels", Map.of(MODE_LABEL, "ambient"));
            var declines = Map.of("key", MODE_LABEL, "operator", "NotIn", "values", List.of("none"));
            return Json.of(List.of(
                    Map.of("podSelector", ambient),
                    Map.of(
                            "podSelector",
                            Map.of("matchExpressions", List.of(declines)),
                            "namespaceSelector",
                            ambient)));
        }
        var documents = Documents.ofYaml("selectors", settings.text(AMBIENT_ENABLEMENT_SELECTOR), Limits.DEFAULT);
        if (documents.size() == 1
                && documents.getFirst() instanceof Document.Parsed parsed
                && parsed.root() instanceof Tree.Sequence) {
            return parsed.root();
        }
        throw settings.bad(
                AMBIENT_ENABLEMENT_SELECTOR, "is no list", "write a list of podSelector and namespaceSelector");
    }

    private String mode() {
        var text = settings.text(KUBECONFIG_MODE);
        if (!MODE.matcher(text).matches()) {
            throw settings.bad(KUBECONFIG_MODE, "is no file mode", "give one like 0600");
        }
        var bits = Integer.parseInt(text, 8);
        var letters = new StringBuilder("rwxrwxrwx");
        for (var i = 0; i < letters.length(); i++) {
            if ((bits & 0x100 >> i) == 0) {
                letters.setCharAt(i, '-');
            }
        }
        return letters.toString();
    }

    private Switch on(InstallSetting setting) {
        return Switch.of(settings.on(setting));
    }

    private Path path(InstallSetting setting) {
        return Path.of(settings.text(setting));
    }

    private Optional<String> given(InstallSetting setting) {
        return Optional.of(settings.text(setting)).filter(text -> !text.isEmpty());
    }
}
