// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What `iptables-save` printed: in each table the chains, and in each chain the rules, as written there after
/// `-A CHAIN`. Tables that we never write to are left out.
record SavedRules(Map<Table, Map<String, List<String>>> tables) {
    static SavedRules parse(String text) {
        var tables = new EnumMap<Table, Map<String, List<String>>>(Table.class);
        var chains = Optional.<Map<String, List<String>>>empty();
        for (var line : text.lines().toList()) {
            if (line.startsWith("*")) {
                chains = Table.of(line.substring(1).strip())
                        .map(table -> tables.computeIfAbsent(table, _ -> new LinkedHashMap<>()));
            } else if (chains.isPresent()) {
                read(line, chains.get());
            }
        }
        return new SavedRules(tables);
    }

    private static void read(String line, Map<String, List<String>> chains) {
        if (line.startsWith(":")) {
            chains.computeIfAbsent(line.substring(1, line.indexOf(' ')), _ -> new ArrayList<>());
        } else if (line.startsWith("-A ")) {
            var end = line.indexOf(' ', 3);
            var chain = end < 0 ? line.substring(3) : line.substring(3, end);
            chains.computeIfAbsent(chain, _ -> new ArrayList<>()).add(end < 0 ? "" : line.substring(end + 1));
        }
    }

    Map<String, List<String>> chains(Table table) {
        return tables.getOrDefault(table, Map.of());
    }

    List<String> rules(Table table, String chain) {
        return chains(table).getOrDefault(chain, List.of());
    }

    /// Chains that are the mesh's by their name, whatever made them.
    List<String> ownChains(Table table) {
        return chains(table).keySet().stream()
                .filter(name -> name.startsWith(Chain.PREFIX))
                .toList();
    }

    boolean hasOwnChains() {
        return tables.keySet().stream().anyMatch(table -> !ownChains(table).isEmpty());
    }

    /// As if there were no such chain, nor a way into it.
    SavedRules without(String chain) {
        var others = new EnumMap<Table, Map<String, List<String>>>(Table.class);
        tables.forEach((table, chains) -> {
            var kept = new LinkedHashMap<String, List<String>>();
            chains.forEach((name, rules) -> {
                if (!name.equals(chain)) {
                    var elsewhere = rules.stream()
                            .filter(rule -> !rule.equals("-j " + chain))
                            .toList();
                    kept.put(name, elsewhere);
                }
            });
            others.put(table, kept);
        });
        return new SavedRules(others);
    }

    /// As if there were no chains of the mesh but those that the plan makes.
    SavedRules only(RulePlan plan) {
        var result = this;
        for (var table : tables.keySet()) {
            var wanted = plan.ownChains(table).stream().map(Chain::iptables).toList();
            for (var name : ownChains(table)) {
                result = wanted.contains(name) ? result : result.without(name);
            }
        }
        return result;
    }

    /// Anything besides the chains that are there anyway.
    boolean isInUse() {
        return tables.values().stream()
                .flatMap(chains -> chains.values().stream())
                .anyMatch(rules -> !rules.isEmpty());
    }
}
