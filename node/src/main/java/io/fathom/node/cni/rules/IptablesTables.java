// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.RuleConfig.IptablesKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The tables of iptables in one network namespace.
///
/// @param lockFile instead of the one of the host, for legacy tables
record IptablesTables(Commands commands, Iptables iptables, Optional<Path> namespace, Optional<Path> lockFile) {
    SavedRules save(Ip.Family family) {
        return SavedRules.parse(run(iptables.save(family), "").orThrow());
    }

    /// Nothing happens if there is nothing to change.
    void change(Ip.Family family, String text) {
        if (!text.isEmpty()) {
            var _ = run(iptables.restore(family), text).orThrow();
        }
    }

    List<Difference> compare(RulePlan plan, SavedRules saved) {
        return Comparison.of(
                plan,
                saved,
                (table, rule) ->
                        run(iptables.check(plan.family(), table, rule), "").succeeded());
    }

    private CommandResult run(List<String> words, String input) {
        var environment = lockFile.filter(_ -> iptables.kind() == IptablesKind.LEGACY)
                .map(file -> Map.of("XTABLES_LOCKFILE", file.toString()))
                .orElse(Map.of());
        return commands.run(Command.of(namespace, words).withInput(input).withEnvironment(environment));
    }
}
