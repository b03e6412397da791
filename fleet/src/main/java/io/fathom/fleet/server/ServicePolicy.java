// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import java.util.List;
import java.util.Set;

/// What may be exported, by whom and to whom. A service travels if its cluster may export it and the other one may
/// import it.
///
/// @param mostServices that a cluster may export
/// @param rules in order, the first that is for a cluster counts; a cluster that none is for may do everything
public record ServicePolicy(int mostServices, List<ClusterRule> rules) {
    public static final ServicePolicy OPEN = new ServicePolicy(50_000, List.of());

    /// What some clusters may do.
    ///
    /// @param clusters names; `*` for all
    /// @param exports namespaces that they may export; `*` for all
    /// @param imports namespaces that they may import; `*` for all
    public record ClusterRule(Set<String> clusters, Set<String> exports, Set<String> imports) {
        public ClusterRule {
            clusters = Set.copyOf(clusters);
            exports = Set.copyOf(exports);
            imports = Set.copyOf(imports);
        }
    }

    public ServicePolicy {
        rules = List.copyOf(rules);
    }

    public boolean mayExport(String cluster, String namespace) {
        return has(exports(cluster), namespace);
    }

    /// Namespaces that a cluster may export; `*` in it for all.
    public Set<String> exports(String cluster) {
        return rule(cluster).stream().findFirst().map(ClusterRule::exports).orElse(Set.of("*"));
    }

    /// Namespaces that a cluster may import; `*` in it for all.
    public Set<String> imports(String cluster) {
        return rule(cluster).stream().findFirst().map(ClusterRule::imports).orElse(Set.of("*"));
    }

    private List<ClusterRule> rule(String cluster) {
        return rules.stream()
                .filter(rule -> has(rule.clusters(), cluster))
                .limit(1)
                .toList();
    }

    private static boolean has(Set<String> names, String name) {
        return names.contains("*") || names.contains(name);
    }
}
