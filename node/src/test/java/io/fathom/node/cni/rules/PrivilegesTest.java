// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.PodRules.Applied;
import io.fathom.node.cni.rules.RuleContext.Families;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which capabilities the tools need. Needs root, and `setpriv`.
class PrivilegesTest {
    private static final RuleContext BOTH = RuleContext.of(Families.V4_AND_V6);
    private static final CaptureSettings SETTINGS = CaptureSettings.of(DnsCapture.CAPTURED);

    private final TestNamespace pod = TestNamespace.create();
    private final TestNamespace host = TestNamespace.create();

    @AfterEach
    void close() {
        pod.close();
        host.close();
    }

    /// Runs programs as root with no other capabilities than those.
    private record Restricted(String capabilities) implements Commands {
        @Override
        public CommandResult run(Command command) {
            var words =
                    new ArrayList<>(List.of("setpriv", "--bounding-set=-all," + capabilities, "--inh-caps=-all", "--"));
            words.addAll(command.line());
            return new SystemCommands(Duration.ofSeconds(20))
                    .run(new Command(Optional.empty(), words, command.input(), command.environment()));
        }
    }

    private NodeRules rules(Tool tool, String capabilities) {
        var config = tool.config(BOTH).withHost(host.path(), Path.of("/proc"));
        return NodeRules.choose(config, new Restricted(capabilities));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "IPTABLES_NFT | +net_admin,+sys_admin,+net_raw", // the last for sets
                "IPTABLES_LEGACY | +net_admin,+sys_admin,+net_raw",
                "NFT | +net_admin,+sys_admin"
            })
    void theseAreEnough(Tool tool, String capabilities) {
        tool.assumeItWorks();
        var rules = rules(tool, capabilities);

        assertThat(rules.pods().apply(pod.path(), SETTINGS)).isEqualTo(Applied.WRITTEN);
        assertThat(rules.pods().inspect(pod.path(), SETTINGS)).isEmpty();
        rules.probes().prepare();
        rules.host().install();
        rules.probes().put(Ip.parse("198.18.1.2").orElseThrow(), "uid-1");
        assertThat(rules.probes().entries())
                .isEqualTo(Map.of(Ip.parse("198.18.1.2").orElseThrow(), "uid-1"));
        rules.pods().remove(pod.path());
        rules.host().remove();
        rules.probes().discard();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "IPTABLES_NFT | +net_admin",
                "IPTABLES_NFT | +sys_admin,+net_raw",
                "IPTABLES_LEGACY | +sys_admin,+net_raw",
                "NFT | +net_admin",
                "NFT | +sys_admin,+net_raw"
            })
    void theseAreNot_andItIsSaidWhatIsMissing(Tool tool, String capabilities) {
        tool.assumeItWorks();
        var unrestricted = tool.rules(BOTH, host.path());
        var rules = rules(tool, capabilities);

        assertThatThrownBy(() -> rules.pods().apply(pod.path(), SETTINGS))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("NET_ADMIN");
        assertThat(unrestricted.pods().inspect(pod.path(), SETTINGS)).isNotEmpty();
    }
}
