// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The route that keeps answers to the node proxy inside the pod: what carries the mark stays on this machine, although
/// it is for an address elsewhere. Without it connections that keep the client's address hang.
final class MarkRoutes {
    private static final String TABLE = "100";
    private static final String PREFERENCE = "32764";
    private static final String MARK = "0x" + Integer.toHexString(PodPlan.TO_APP) + "/0xfff";

    private final Commands commands;
    private final RuleContext context;

    MarkRoutes(Commands commands, RuleContext context) {
        this.commands = commands;
        this.context = context;
    }

    void add(Path namespace) {
        for (var family : context.families().list()) {
            if (hasLoopback(namespace, family)) {
                var _ = ip(namespace, family, route("replace", family)).orThrow();
            }
            var added = ip(namespace, family, rule("add"));
            if (!added.succeeded() && !added.errors().contains("File exists")) {
                var _ = added.orThrow();
            }
        }
    }

    void remove(Path namespace) {
        for (var family : context.families().list()) {
            // fails if it is not there, which is fine, or for a reason that is not
            if (hasRule(namespace, family)) {
                var _ = ip(namespace, family, rule("del")).orThrow();
            }
            if (hasRoute(namespace, family)) {
                var _ = ip(namespace, family, route("del", family)).orThrow();
            }
        }
    }

    List<Difference> inspect(Path namespace) {
        var differences = new ArrayList<Difference>();
        for (var family : context.families().list()) {
            if (hasLoopback(namespace, family) && !hasRoute(namespace, family)) {
                differences.add(missing(family, route("add", family)));
            }
            if (!hasRule(namespace, family)) {
                differences.add(missing(family, rule("add")));
            }
        }
        return differences;
    }

    private static Difference missing(Ip.Family family, List<String> words) {
        return new Difference(
                Difference.DifferenceKind.MISSING,
                Comparison.place(family, Optional.empty(), "routing"),
                "ip " + String.join(" ", words));
    }

    private boolean hasRule(Path namespace, Ip.Family family) {
        return ip(namespace, family, List.of("rule", "show", "pref", PREFERENCE))
                .orThrow()
                .lines()
                .anyMatch(line -> line.contains("fwmark " + MARK) && line.contains("lookup " + TABLE));
    }

    private boolean hasRoute(Path namespace, Ip.Family family) {
        var shown = ip(namespace, family, List.of("route", "show", "table", TABLE));
        return shown.succeeded() // it fails for a table that never had a route
                && shown.output().lines().anyMatch(line -> line.startsWith("local default dev lo"));
    }

    /// IPv6 may be turned off on a pod's loopback; then there is no route to make, nor any need of one.
    private boolean hasLoopback(Path namespace, Ip.Family family) {
        if (family == Ip.Family.V4) {
            return true;
        }
        var setting = commands.run(Command.of(namespace, "cat", "/proc/sys/net/ipv6/conf/lo/disable_ipv6"));
        return setting.succeeded() && setting.output().strip().equals("0");
    }

    private static List<String> route(String verb, Ip.Family family) {
        var everything = family == Ip.Family.V4 ? "0.0.0.0/0" : "::/0";
        return List.of("route", verb, "local", everything, "dev", "lo", "table", TABLE);
    }

    private static List<String> rule(String verb) {
        return List.of("rule", verb, "fwmark", MARK, "pref", PREFERENCE, "lookup", TABLE);
    }

    private CommandResult ip(Path namespace, Ip.Family family, List<String> words) {
        var line = new ArrayList<>(List.of("ip", family == Ip.Family.V4 ? "-4" : "-6"));
        line.addAll(words);
        return commands.run(Command.of(Optional.of(namespace), line));
    }
}
