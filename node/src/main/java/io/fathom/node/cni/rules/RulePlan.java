// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// All rules of one IP version, by table; tables in the order of [Table], rules in the order of writing.
record RulePlan(Ip.Family family, Map<Table, List<Rule>> tables) {
    RulePlan {
        var copy = new EnumMap<Table, List<Rule>>(Table.class);
        tables.forEach((table, rules) -> copy.put(table, List.copyOf(rules)));
        tables = copy;
    }

    List<Rule> rules(Table table) {
        return tables.getOrDefault(table, List.of());
    }

    /// The chains that are made for it, in the order of their first rule.
    List<Chain> ownChains(Table table) {
        return rules(table).stream()
                .flatMap(rule -> rule.target() instanceof Target.Jump(Chain to)
                        ? Stream.of(rule.chain(), to)
                        : Stream.of(rule.chain()))
                .filter(Chain::isOurs)
                .distinct()
                .toList();
    }
}
