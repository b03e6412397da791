// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// What `nft -f` has to read so that there are the planned rules and no others of ours: one transaction, which may be
/// repeated and holds whatever was there before. Pure.
final class NftChange {
    private static final List<Table> TABLES = List.of(Table.MANGLE, Table.NAT, Table.RAW);

    private NftChange() {}

    /// The rules of a pod.
    ///
    /// @param strange chains in our tables that should not be there, by table
    static String pod(List<RulePlan> plans, Map<String, List<String>> strange) {
        var lines = new ArrayList<String>();
        for (var table : TABLES) {
            var name = NftText.table(table);
            lines.add("add table inet " + name);
            if (plans.getFirst().rules(table).isEmpty()) {
                lines.add("delete table inet " + name);
                continue;
            }
            lines.add("flush table inet " + name);
            strange.getOrDefault(name, List.of())
                    .forEach(chain -> lines.add("delete chain inet " + name + " " + chain));
            lines.addAll(chains(plans, table));
        }
        return text(lines);
    }

    /// All that [#pod] makes.
    static String removal() {
        return text(TABLES.stream()
                .map(NftText::table)
                .flatMap(name -> Stream.of("add table inet " + name, "delete table inet " + name))
                .toList());
    }

    /// The rules of the host; its sets stay.
    static String host(List<RulePlan> plans) {
        var lines = new ArrayList<String>();
        for (var table : plans.getFirst().tables().keySet()) {
            lines.addAll(emptied(plans, table));
            lines.addAll(rules(plans, table));
        }
        return text(lines);
    }

    /// All that [#host] makes, and nothing of what holds the sets.
    static String hostRemoval(List<RulePlan> plans) {
        var lines = new ArrayList<String>();
        for (var table : plans.getFirst().tables().keySet()) {
            lines.addAll(emptied(plans, table));
            var name = NftText.table(table);
            if (table == Table.NAT) {
                chainsOf(plans, table)
                        .forEach(chain -> lines.add("delete chain inet " + name + " " + chain.nftables()));
            } else {
                lines.add("delete table inet " + name);
            }
        }
        return text(lines);
    }

    private static List<String> emptied(List<RulePlan> plans, Table table) {
        var name = NftText.table(table);
        var lines = new ArrayList<>(List.of("add table inet " + name));
        for (var chain : chainsOf(plans, table)) {
            lines.add(declare(table, chain));
            lines.add("flush chain inet " + name + " " + chain.nftables());
        }
        return lines;
    }

    private static List<String> chains(List<RulePlan> plans, Table table) {
        var lines = new ArrayList<String>();
        chainsOf(plans, table).forEach(chain -> lines.add(declare(table, chain)));
        lines.addAll(rules(plans, table));
        return lines;
    }

    private static List<String> rules(List<RulePlan> plans, Table table) {
        return chainsOf(plans, table).stream()
                .flatMap(chain -> NftText.chain(plans, table, chain).stream()
                        .map(rule -> "add rule inet " + NftText.table(table) + " " + chain.nftables() + " " + rule))
                .toList();
    }

    private static String declare(Table table, Chain chain) {
        var line = "add chain inet " + NftText.table(table) + " " + chain.nftables();
        return chain.isOurs() ? line : line + " " + NftText.hook(table, chain);
    }

    /// In the order of their first rule, which jumps; then ours.
    private static List<Chain> chainsOf(List<RulePlan> plans, Table table) {
        var plan = plans.getFirst();
        var base = plan.rules(table).stream().map(Rule::chain).filter(chain -> !chain.isOurs());
        return Stream.concat(base, plan.ownChains(table).stream()).distinct().toList();
    }

    private static String text(List<String> lines) {
        return String.join("\n", lines) + "\n";
    }
}
