// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.RuleConfig.IptablesKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Which iptables to use. Legacy and nftables-based rules do not see each other, so on a host that has legacy rules we
/// go on with those.
///
/// @param suffix what follows `iptables` and `ip6tables` in the names of the programs
record Iptables(String suffix, IptablesKind kind) {
    private static final int WAIT_SECONDS = 30;

    static Iptables detect(Commands commands, RuleConfig config) {
        var found = config.forced().map(kind -> forced(commands, kind)).orElseGet(() -> find(commands, config));
        for (var family : config.context().families().list()) {
            if (!commands.has(found.program(family))) {
                throw missing(
                        found.program(family), "install it" + (family == Ip.Family.V4 ? "" : ", or turn IPv6 off"));
            }
        }
        return found;
    }

    private static Iptables forced(Commands commands, IptablesKind kind) {
        var chosen = named(kind);
        if (!commands.has(chosen.program(Ip.Family.V4))) {
            throw missing(chosen.program(Ip.Family.V4), "install it, or leave FORCE_IPTABLES_BINARY out");
        }
        return chosen;
    }

    private static Iptables find(Commands commands, RuleConfig config) {
        var legacy = named(IptablesKind.LEGACY);
        var hasLegacy = commands.has(legacy.program(Ip.Family.V4));
        if (hasLegacy && legacy.isInUse(commands, config)) {
            return legacy;
        }
        var nft = named(IptablesKind.NFT);
        if (commands.has(nft.program(Ip.Family.V4))) {
            return nft;
        }
        try {
            var version = commands.run(Command.of(Optional.empty(), List.of("iptables", "--version")))
                    .orThrow();
            return new Iptables("", version.contains("nf_tables") ? IptablesKind.NFT : IptablesKind.LEGACY);
        } catch (ProblemException e) {
            if (hasLegacy) {
                return legacy;
            }
            throw missing("iptables", "install it where the node agent runs");
        }
    }

    private boolean isInUse(Commands commands, RuleConfig config) {
        return config.context().families().list().stream()
                .filter(family -> commands.has(program(family)))
                .map(family -> commands.run(Command.of(config.hostNamespace(), save(family))))
                .anyMatch(saved ->
                        saved.succeeded() && SavedRules.parse(saved.output()).isInUse());
    }

    private static Iptables named(IptablesKind kind) {
        return kind == IptablesKind.LEGACY ? new Iptables("-legacy", kind) : new Iptables("-nft", kind);
    }

    private static ProblemException missing(String program, String fix) {
        return new ProblemException(new Problem(
                "no-iptables",
                program + " is not there, or does not run",
                fix,
                Problem.Origin.SERVER,
                Problem.Retry.POINTLESS));
    }

    String program(Ip.Family family) {
        return (family == Ip.Family.V4 ? "iptables" : "ip6tables") + suffix;
    }

    List<String> save(Ip.Family family) {
        return List.of(program(family) + "-save");
    }

    List<String> restore(Ip.Family family) {
        return withWait(List.of(program(family) + "-restore", "--noflush", "-v"));
    }

    List<String> check(Ip.Family family, Table table, Rule rule) {
        var words = new ArrayList<>(withWait(List.of(program(family))));
        words.addAll(List.of("-t", table.word(), "-C", rule.chain().iptables()));
        words.addAll(IptablesText.arguments(rule));
        return words;
    }

    private List<String> withWait(List<String> words) {
        if (kind == IptablesKind.NFT) {
            return words;
        }
        var waiting = new ArrayList<>(words);
        waiting.add("--wait=" + WAIT_SECONDS);
        return waiting;
    }
}
