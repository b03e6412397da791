// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Chains and rules of tables of the family `inet`, as nft prints them: by table and chain, what the chain is (empty
/// line for one without a hook) and its rules. Other things in a table are left out.
record NftListing(Map<String, Map<String, List<String>>> tables) {
    private static final Pattern TABLE = Pattern.compile("table inet (\\S+) \\{");
    private static final Pattern CHAIN = Pattern.compile("\\s+chain (\\S+) \\{.*");
    private static final Pattern ADDED_CHAIN = Pattern.compile("add chain inet (\\S+) (\\S+)(?: \\{ (.*) \\})?");
    private static final Pattern ADDED_RULE = Pattern.compile("add rule inet (\\S+) (\\S+) (?:handle \\d+ )?(.*)");
    private static final Pattern HANDLE = Pattern.compile("\\s*# handle \\d+$");

    /// Of `nft list ruleset`.
    static NftListing ofRuleset(String text) {
        var tables = new LinkedHashMap<String, Map<String, List<String>>>();
        var table = Optional.<Map<String, List<String>>>empty();
        var chain = Optional.<List<String>>empty();
        for (var line : text.lines().toList()) {
            var tableStart = TABLE.matcher(line);
            var chainStart = CHAIN.matcher(line);
            if (tableStart.matches()) {
                table = Optional.of(tables.computeIfAbsent(tableStart.group(1), _ -> new LinkedHashMap<>()));
            } else if (line.startsWith("}") || line.startsWith("table ")) {
                table = Optional.empty();
                chain = Optional.empty();
            } else if (chainStart.matches()) {
                chain = table.map(chains -> chains.computeIfAbsent(chainStart.group(1), _ -> new ArrayList<>()));
            } else if (line.strip().equals("}")) {
                chain = Optional.empty();
            } else {
                chain.ifPresent(rules -> rules.add(clean(line)));
            }
        }
        return new NftListing(tables);
    }

    /// Of `nft --echo`, which repeats what it was told in the words in which it lists rules.
    static NftListing ofEcho(String text) {
        var tables = new LinkedHashMap<String, Map<String, List<String>>>();
        for (var line : text.lines().toList()) {
            var chain = ADDED_CHAIN.matcher(clean(line));
            var rule = ADDED_RULE.matcher(clean(line));
            if (chain.matches()) {
                var rules = chain(tables, chain.group(1), chain.group(2));
                Optional.ofNullable(chain.group(3)).ifPresent(rules::add);
            } else if (rule.matches()) {
                chain(tables, rule.group(1), rule.group(2)).add(rule.group(3));
            }
        }
        return new NftListing(tables);
    }

    private static List<String> chain(Map<String, Map<String, List<String>>> tables, String table, String chain) {
        return tables.computeIfAbsent(table, _ -> new LinkedHashMap<>()).computeIfAbsent(chain, _ -> new ArrayList<>());
    }

    private static String clean(String line) {
        return HANDLE.matcher(line).replaceAll("").strip();
    }

    /// Of the mesh in this list, and in the other not: by table.
    Map<String, List<String>> chainsNotIn(NftListing other) {
        var result = new LinkedHashMap<String, List<String>>();
        tables.forEach((table, chains) -> {
            var known = other.tables.getOrDefault(table, Map.of());
            var strange = chains.keySet().stream()
                    .filter(chain -> !known.containsKey(chain))
                    .toList();
            if (table.startsWith("istio-ambient-") && !strange.isEmpty()) {
                result.put(table, strange);
            }
        });
        return result;
    }

    boolean hasOwnTables() {
        return tables.keySet().stream().anyMatch(table -> table.startsWith("istio-ambient-"));
    }
}
