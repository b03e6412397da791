// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.install.InstallConfig;
import io.fathom.node.cni.install.InstallConfig.FileModes;
import io.fathom.node.cni.install.InstallConfig.Joining;
import io.fathom.node.cni.install.InstallConfig.ServerTrust;
import io.fathom.node.cni.install.PluginEntry.Switch;
import io.fathom.node.cni.install.UpgradeCheck.WhenUnknown;
import io.fathom.wire.kube.tree.Json;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InstallSettingsTest {
    private final Map<String, String> environment =
            new HashMap<>(Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1", "KUBERNETES_SERVICE_PORT", "443"));

    @Test
    void givenNothing_thenAsUpstreamsChart() {
        var config = InstallSettings.of(environment);
        assertThat(config.server()).isEqualTo(URI.create("https://10.96.0.1:443"));
        assertThat(config.joining()).isEqualTo(new Joining.Chained());
        assertThat(config.kubeconfig()).isEqualTo(Path.of("/var/run/istio-cni/istio-cni-kubeconfig"));
        assertThat(config.modes()).isEqualTo(new FileModes("rw-------", "rw-------"));
        assertThat(config.serverTrust()).isEqualTo(ServerTrust.AUTHORITY);
        assertThat(config.entry().excludedNamespaces()).containsExactly("kube-system");
        assertThat(Json.compact(config.entry().selectors())).contains("NotIn");
        assertThat(InstallSettings.whenUnknown(config)).isEqualTo(WhenUnknown.CLEAN_UP);
    }

    @Test
    void givenVariables_thenTheyCount() {
        environment.putAll(Map.of(
                "ISTIO_OWNED_CNI_CONFIG", "true",
                "ISTIO_OWNED_CNI_CONF_FILENAME", "01-ours.conflist",
                "KUBECONFIG_MODE", "0640",
                "CNI_CONF_GROUP_READ", "true",
                "SKIP_TLS_VERIFY", "true",
                "EXCLUDE_NAMESPACES", " a , b",
                "ENABLE_AMBIENT_DETECTION_RETRY", "true",
                "AMBIENT_ENABLEMENT_SELECTOR", "- podSelector: {matchLabels: {a: b}}"));
        var config = InstallSettings.of(environment);
        assertThat(config.joining()).isEqualTo(new Joining.Owned("01-ours.conflist"));
        assertThat(config.modes()).isEqualTo(new FileModes("rw-r-----", "rw-r-----"));
        assertThat(config.serverTrust()).isEqualTo(ServerTrust.ANYBODY);
        assertThat(config.entry().excludedNamespaces()).isEqualTo(List.of("a", "b"));
        assertThat(config.entry().detectionRetry()).isEqualTo(Switch.ON);
        assertThat(Json.compact(config.entry().selectors()))
                .isEqualTo("[{\"podSelector\":{\"matchLabels\":{\"a\":\"b\"}}}]");
        assertThat(InstallSettings.whenUnknown(config)).isEqualTo(WhenUnknown.KEEP);
    }

    @Test
    void givenNoChain_thenAFileByItself() {
        environment.put("CHAINED_CNI_PLUGIN", "false");
        assertThat(InstallSettings.of(environment).joining()).isEqualTo(new Joining.Alone(InstallConfig.ALONE_FILE));
    }

    @ParameterizedTest
    @CsvSource({
        "KUBECONFIG_MODE, 999",
        "AMBIENT_ENABLEMENT_SELECTOR, {}",
        "SKIP_TLS_VERIFY, maybe",
        "KUBERNETES_SERVICE_HOST, ''"
    })
    void givenAMistake_thenTheVariableIsNamed(String variable, String value) {
        environment.put(variable, value);
        assertThatThrownBy(() -> InstallSettings.of(environment))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(variable);
    }
}
