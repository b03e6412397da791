// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.pods.Enablement;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.RuleConfig;
import io.fathom.node.cni.rules.RuleContext;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CniConfigTest {
    private static final Map<String, String> IN_CLUSTER =
            Map.of("NODE_NAME", "n1", "KUBERNETES_SERVICE_HOST", "10.0.0.1", "KUBERNETES_SERVICE_PORT", "443");

    private static CniConfig parse(Map<String, String> environment, String... args) {
        return CniConfig.parse(args, environment);
    }

    @Test
    void givenNothingButTheNode_thenItIsForKubernetes() {
        var config = parse(IN_CLUSTER);
        assertThat(config.source().kube())
                .hasValueSatisfying(kube -> assertThat(kube.server()).hasToString("https://10.0.0.1:443"));
        assertThat(config.installation()).isPresent();
        assertThat(config.source().ownNamespace()).isEqualTo("istio-system");
        assertThat(config.paths().hostRoot()).isEqualTo("/host");
        assertThat(config.paths().hostProc()).isEqualTo(Path.of("/host/proc"));
        assertThat(config.rules().hostNamespace()).contains(Path.of("/host/proc/1/ns/net"));
        assertThat(config.rules().engine()).isEqualTo(RuleConfig.Engine.IPTABLES);
        assertThat(config.rules().context().families()).isEqualTo(RuleContext.Families.V4_AND_V6);
        assertThat(config.eligibility().enablement()).isEqualTo(Enablement.DEFAULT);
        assertThat(config.eligibility().excluded()).containsExactly("kube-system");
        assertThat(config.dns()).isEqualTo(DnsCapture.CAPTURED);
        assertThat(config.paths().proxySocket()).isEqualTo(Path.of("/var/run/ztunnel/ztunnel.sock"));
        assertThat(config.listening().monitoringPort()).isEqualTo(15014);
        assertThat(config.listening().healthPort()).isEqualTo(8000);
        assertThat(config.atEnd()).isEqualTo(CniConfig.AtEnd.KEEP);
    }

    @Test
    void givenFolders_thenTheHostIsHere() {
        var config = parse(
                Map.of("AMBIENT_DNS_CAPTURE", "false", "EXCLUDE_NAMESPACES", " a , b", "FORCE_IPTABLES_BINARY", "nft"),
                "--manifests",
                "/a,/b",
                "--netns-dir=/run/ns",
                "--node-name",
                "n1",
                "--ambient-ipv6",
                "false",
                "--native-nftables=true",
                "--ambient-disable-safe-upgrade",
                "true");
        assertThat(config.source().manifests()).containsExactly(Path.of("/a"), Path.of("/b"));
        assertThat(config.paths().netns()).contains(Path.of("/run/ns"));
        assertThat(config.source().kube()).isEmpty();
        assertThat(config.installation()).isEmpty();
        assertThat(config.paths().hostRoot()).isEmpty();
        assertThat(config.rules().hostNamespace()).isEmpty();
        assertThat(config.rules().forced()).isEqualTo(Optional.of(RuleConfig.IptablesKind.NFT));
        assertThat(config.rules().engine()).isEqualTo(RuleConfig.Engine.NFTABLES);
        assertThat(config.rules().context().families()).isEqualTo(RuleContext.Families.V4);
        assertThat(config.eligibility().excluded()).containsExactlyInAnyOrder("a", "b");
        assertThat(config.dns()).isEqualTo(DnsCapture.LEFT_ALONE);
        assertThat(config.atEnd()).isEqualTo(CniConfig.AtEnd.CLEAN_UP);
    }

    @Test
    void givenWhatCannotBe_thenTheSettingIsNamed() {
        assertThatThrownBy(() -> parse(Map.of()))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("--node-name");
        assertThatThrownBy(() -> parse(Map.of("NODE_NAME", "n"))).hasMessageContaining("KUBERNETES_SERVICE_HOST");
        assertThatThrownBy(
                        () -> parse(Map.of("FATHOM_MANIFESTS", "d", "NODE_NAME", "n", "FORCE_IPTABLES_BINARY", "both")))
                .hasMessageContaining("both");
        assertThatThrownBy(() -> parse(Map.of("FATHOM_MANIFESTS", "d", "NODE_NAME", "n", "HOST_PROBE_SNAT_IP", "x")))
                .hasMessageContaining("HOST_PROBE_SNAT_IP");
        assertThatThrownBy(() ->
                        parse(Map.of("FATHOM_MANIFESTS", "d", "NODE_NAME", "n", "AMBIENT_ENABLEMENT_SELECTOR", "{")))
                .hasMessageContaining("AMBIENT_ENABLEMENT_SELECTOR");
        assertThatThrownBy(() -> parse(Map.of("NODE_NAME", "n", "AMBIENT_ENABLED", "false")))
                .hasMessageContaining("AMBIENT_ENABLED");
        assertThatThrownBy(() -> parse(Map.of(), "--nod-name", "x")).hasMessageContaining("--node-name");
    }
}
