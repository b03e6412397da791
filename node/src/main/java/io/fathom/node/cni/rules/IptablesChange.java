// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What `iptables-restore --noflush` has to read so that saved rules become planned ones. Each table changes at once,
/// and what is not ours is not mentioned. Pure.
final class IptablesChange {
    /// Stops everything while rules are exchanged. Its name says that it is ours, so one that was left behind by an
    /// agent that died is found and swept like any other.
    static final String GUARD = Chain.PREFIX + "GUARD";

    private static final List<String> GUARDED = List.of("INPUT", "FORWARD", "OUTPUT");

    private IptablesChange() {}

    /// Empty if there is nothing to do.
    static String replace(SavedRules saved, RulePlan plan) {
        return tables(Stream.of(Table.values()), saved, plan, name -> name.startsWith(Chain.PREFIX));
    }

    /// The way to the proxy goes first: connections that took it still find their way back, as long as it takes.
    static String remove(SavedRules saved, RulePlan nothing) {
        var order = Stream.of(Table.NAT, Table.RAW, Table.MANGLE, Table.FILTER);
        return tables(order, saved, nothing, name -> name.startsWith(Chain.PREFIX));
    }

    /// Only the chains of `owned` are ours: on a host others may belong to other programs.
    static String replaceOwn(SavedRules saved, RulePlan plan, RulePlan owned) {
        var own = Stream.of(Table.values())
                .flatMap(table -> owned.ownChains(table).stream().map(Chain::iptables))
                .toList();
        return tables(Stream.of(Table.values()), saved, plan, own::contains);
    }

    static String guard() {
        var lines = new ArrayList<>(List.of(
                "*filter", "-N " + GUARD, "-A " + GUARD + " -p tcp -j DROP", "-A " + GUARD + " -p udp -j DROP"));
        GUARDED.forEach(chain -> lines.add("-I " + chain + " 1 -j " + GUARD));
        lines.add("COMMIT");
        return text(lines);
    }

    static String lift() {
        var lines = new ArrayList<>(List.of("*filter"));
        GUARDED.forEach(chain -> lines.add("-D " + chain + " -j " + GUARD));
        lines.addAll(List.of("-F " + GUARD, "-X " + GUARD, "COMMIT"));
        return text(lines);
    }

    private static String tables(Stream<Table> order, SavedRules saved, RulePlan plan, Predicate<String> ours) {
        var lines = new ArrayList<String>();
        order.forEach(table -> lines.addAll(table(table, saved, plan, ours)));
        return text(lines);
    }

    private static List<String> table(Table table, SavedRules saved, RulePlan plan, Predicate<String> ours) {
        var wanted = plan.ownChains(table).stream().map(Chain::iptables).toList();
        var there = saved.chains(table).keySet().stream().filter(ours).toList();
        var lines = new ArrayList<String>();
        saved.chains(table).forEach((chain, rules) -> {
            if (!ours.test(chain)) {
                rules.stream()
                        .filter(rule -> rule.contains(Chain.PREFIX))
                        .filter(rule -> RuleForm.of(rule).target().filter(ours).isPresent())
                        .forEach(rule -> lines.add("-D " + chain + " " + rule));
            }
        });
        there.forEach(chain -> lines.add("-F " + chain));
        there.stream().filter(chain -> !wanted.contains(chain)).forEach(chain -> lines.add("-X " + chain));
        wanted.stream().filter(chain -> !there.contains(chain)).forEach(chain -> lines.add("-N " + chain));
        plan.rules(table).forEach(rule -> lines.add(IptablesText.line(rule)));
        if (lines.isEmpty()) {
            return lines;
        }
        lines.addFirst("*" + table.word());
        lines.add("COMMIT");
        return lines;
    }

    private static String text(List<String> lines) {
        return lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
    }
}
