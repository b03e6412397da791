// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.base.testkit.TestNamespace;
import io.fathom.node.cni.rules.RuleConfig.Engine;
import io.fathom.node.cni.rules.RuleConfig.IptablesKind;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/// What rules are written with in a test.
enum Tool {
    IPTABLES_NFT,
    IPTABLES_LEGACY,
    NFT;

    NodeRules rules(RuleContext context) {
        return NodeRules.choose(config(context));
    }

    /// With that namespace as the host.
    NodeRules rules(RuleContext context, Path host) {
        return NodeRules.choose(config(context).withHost(host, Path.of("/proc")));
    }

    RuleConfig config(RuleContext context) {
        var config = RuleConfig.of(context);
        return switch (this) {
            case IPTABLES_NFT -> config.withForced(Optional.of(IptablesKind.NFT));
            case IPTABLES_LEGACY -> config.withForced(Optional.of(IptablesKind.LEGACY));
            case NFT -> config.withEngine(Engine.NFTABLES);
        };
    }

    /// Not every kernel has the old tables.
    void assumeItWorks() {
        if (this == IPTABLES_LEGACY) {
            try (var namespace = TestNamespace.create()) {
                namespace.run("ip6tables-legacy", "-t", "nat", "-S");
            } catch (IllegalStateException e) {
                Assumptions.abort("no legacy tables here: " + e.getMessage());
            }
        }
    }

    /// All rules of a namespace that this tool sees, without counters and times, to compare before and after.
    String dump(TestNamespace namespace) {
        return switch (this) {
            case IPTABLES_NFT -> save(namespace, "iptables-nft-save") + save(namespace, "ip6tables-nft-save");
            case IPTABLES_LEGACY -> save(namespace, "iptables-legacy-save") + save(namespace, "ip6tables-legacy-save");
            case NFT -> namespace.run("nft", "--stateless", "list", "ruleset");
        };
    }

    static String save(TestNamespace namespace, String program) {
        return namespace.run(program).replaceAll("(?m)^#.*\n", "").replaceAll("\\[\\d+:\\d+]", "[0:0]");
    }

    /// Routing that belongs to the rules.
    static String routes(TestNamespace namespace) {
        return namespace.run("sh", "-c", """
                for v in -4 -6; do
                  ip $v rule show pref 32764
                  ip $v route show table 100 2>/dev/null
                done
                exit 0""");
    }
}
