// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// On AWS a pod may have a network card of its own, a branch: its traffic has a routing table of its own too, which the
/// node's processes do not use, and answers to them leave by the card. So that probes reach such a pod, what is for it
/// uses its table, and what comes from it is looked up among the node's own addresses first. Such hosts have
/// `tcp_early_demux` turned off; elsewhere nothing is done.
final class BranchRoutes {
    private static final Pattern BRANCH = Pattern.compile("(\\d+):\\s+from all iif (\\S+) lookup (\\d+)\\s*");
    private static final Pattern OWN =
            Pattern.compile("(\\d+):\\s+from all iif (\\S+) (?:\\[detached] )?lookup local\\s*");
    private static final String PREFERENCE = "512";

    /// A pod's own way: the link to it, its table, and the preference of the rule that leads there.
    private record Branch(String link, String table, int preference) {}

    private final Commands commands;
    private final Optional<Path> namespace;

    BranchRoutes(Commands commands, Optional<Path> namespace) {
        this.commands = commands;
        this.namespace = namespace;
    }

    void add(Ip pod) {
        if (isBranchHost()) {
            branch(pod).ifPresent(branch -> {
                ensure(pod, "to", pod.toString(), "lookup", branch.table(), "pref", PREFERENCE);
                ensure(pod, "iif", branch.link(), "lookup", "local", "pref", "" + (branch.preference() - 1));
            });
        }
    }

    /// Also of a pod whose link is gone.
    void remove(Ip pod) {
        if (!isBranchHost()) {
            return;
        }
        var link = branch(pod).map(Branch::link);
        for (var line : rules(pod)) {
            var own = OWN.matcher(line);
            if (line.startsWith(PREFERENCE + ":") && line.contains(" to " + pod + " ")) {
                var _ = ip(pod, "rule", "del", "to", pod.toString(), "pref", PREFERENCE)
                        .orThrow();
            } else if (own.matches() && (line.contains("[detached]") || link.equals(Optional.of(own.group(2))))) {
                var _ = ip(pod, "rule", "del", "iif", own.group(2), "pref", own.group(1))
                        .orThrow();
            }
        }
    }

    private boolean isBranchHost() {
        var setting = commands.run(Command.of(namespace, List.of("cat", "/proc/sys/net/ipv4/tcp_early_demux")));
        return setting.succeeded() && setting.output().strip().equals("0");
    }

    private Optional<Branch> branch(Ip pod) {
        for (var line : rules(pod)) {
            var rule = BRANCH.matcher(line);
            if (rule.matches()) {
                var branch = new Branch(rule.group(2), rule.group(3), Integer.parseInt(rule.group(1)));
                if (leadsTo(pod, branch)) {
                    return Optional.of(branch);
                }
            }
        }
        return Optional.empty();
    }

    private boolean leadsTo(Ip pod, Branch branch) {
        var routes = ip(pod, "route", "show", "table", branch.table());
        return routes.succeeded()
                && routes.output()
                        .lines()
                        .anyMatch(route -> (route + " ").startsWith(pod + " dev " + branch.link() + " "));
    }

    private List<String> rules(Ip pod) {
        return ip(pod, "rule", "show").orThrow().lines().toList();
    }

    private void ensure(Ip pod, String... rule) {
        var words = new ArrayList<>(List.of("rule", "add"));
        words.addAll(List.of(rule));
        var added = ip(pod, words.toArray(String[]::new));
        if (!added.succeeded() && !added.errors().contains("File exists")) {
            var _ = added.orThrow();
        }
    }

    private CommandResult ip(Ip pod, String... words) {
        var line = new ArrayList<>(List.of("ip", pod.family() == Ip.Family.V4 ? "-4" : "-6"));
        line.addAll(List.of(words));
        return commands.run(Command.of(namespace, line));
    }
}
