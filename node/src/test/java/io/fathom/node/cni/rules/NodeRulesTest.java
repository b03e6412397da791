// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.node.cni.rules.RuleConfig.Engine;
import io.fathom.node.cni.rules.RuleConfig.IptablesKind;
import io.fathom.node.cni.rules.RuleContext.Families;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Which tool is chosen. Needs root.
class NodeRulesTest {
    private static final RuleConfig V4 = RuleConfig.of(RuleContext.of(Families.V4));
    private static final RuleConfig BOTH = RuleConfig.of(RuleContext.of(Families.V4_AND_V6));

    private final TestNamespace host = TestNamespace.create();

    @AfterEach
    void close() {
        host.close();
    }

    /// A machine that lacks some programs.
    private record Lacking(Predicate<String> missing) implements Commands {
        @Override
        public CommandResult run(Command command) {
            if (missing.test(command.program())) {
                throw new ProblemException(Problem.ofInput("test", command.program() + " is missing", ""));
            }
            return new SystemCommands(Duration.ofSeconds(20)).run(command);
        }
    }

    private NodeRules choose(RuleConfig config, Predicate<String> missing) {
        return NodeRules.choose(config.withHost(host.path(), Path.of("/proc")), new Lacking(missing));
    }

    @Test
    void givenNoRulesAnywhere_thenTheNewerIptablesIsUsed() {
        assertThat(choose(BOTH, _ -> false).engine()).isEqualTo("iptables-nft");
    }

    @Test
    void givenLegacyRulesOnTheHost_thenLegacyIsUsed() {
        Tool.IPTABLES_LEGACY.assumeItWorks();
        host.run("iptables-legacy", "-t", "nat", "-A", "OUTPUT", "-d", "203.0.113.9", "-j", "ACCEPT");

        assertThat(choose(BOTH, _ -> false).engine()).isEqualTo("iptables-legacy");
    }

    @Test
    void givenTheNewerOneIsMissing_thenTheUnnamedOneIsUsed() {
        assertThat(choose(BOTH, program -> program.contains("-nft") || program.contains("-legacy"))
                        .engine())
                .isEqualTo("iptables");
    }

    @Test
    void givenNone_thenItIsSaid() {
        assertThatThrownBy(() -> choose(BOTH, program -> program.contains("tables")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("iptables");
    }

    @Test
    void givenNoIp6tables_thenThatIsFatalOnlyWithIpv6() {
        assertThat(choose(V4, program -> program.startsWith("ip6tables")).engine())
                .isEqualTo("iptables-nft");
        assertThatThrownBy(() -> choose(BOTH, program -> program.startsWith("ip6tables")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("ip6tables-nft")
                .hasMessageContaining("IPv6");
    }

    @Test
    void givenOneIsForced_thenItIsUsedOrFatal() {
        var forced = V4.withForced(IptablesKind.parse("legacy"));

        assertThat(choose(forced, _ -> false).engine()).isEqualTo("iptables-legacy");
        assertThatThrownBy(() -> choose(forced, program -> program.contains("legacy")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("FORCE_IPTABLES_BINARY");
        assertThatThrownBy(() -> IptablesKind.parse("modern")).isInstanceOf(ProblemException.class);
        assertThat(IptablesKind.parse("")).isEmpty();
    }

    @Test
    void givenNftablesIsAskedFor_thenItIsUsedUnlessMissingOrIptablesWasHere() {
        var nft = BOTH.withEngine(Engine.NFTABLES);

        assertThat(choose(nft, _ -> false).engine()).isEqualTo("nft");
        assertThat(choose(nft, "nft"::equals).engine()).isEqualTo("iptables-nft");
        assertThat(choose(nft, "ipset"::equals).engine()).isEqualTo("nft");
        host.run("ipset", "create", "istio-inpod-probes-v4", "hash:ip", "comment");
        assertThat(choose(nft, _ -> false).engine()).isEqualTo("iptables-nft");
    }

    @Test
    void givenAToolThatHangs_thenItIsStoppedInTime() {
        var commands = new SystemCommands(Duration.ofMillis(300));

        assertThatThrownBy(() -> commands.run(Command.of(host.path(), "sleep", "60")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("sleep 60");
    }

    @Test
    void givenAToolThatFails_thenItsWordsAreInTheProblem() {
        var commands = new SystemCommands(Duration.ofSeconds(20));
        var outcome = commands.run(Command.of(host.path(), "ip", "route", "add", "nonsense"));

        assertThatThrownBy(outcome::orThrow)
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("nonsense");
    }

    @Test
    void givenNoSuchProgram_thenItIsNamed() {
        var commands = new SystemCommands(Duration.ofSeconds(20));

        assertThatThrownBy(() -> commands.run(Command.of(Optional.empty(), List.of("no-such-program"))))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("no-such-program");
    }
}
