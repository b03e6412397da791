// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Probed addresses in sets of `ipset`, with UIDs as comments. One call at a time.
final class IpsetProbes implements ProbeSet {
    private static final Pattern ENTRY = Pattern.compile("add \\S+ (\\S+)(?:.* comment \"([^\"]*)\")?.*");

    private final Commands commands;
    private final Optional<Path> namespace;
    private final RuleContext context;

    IpsetProbes(Commands commands, Optional<Path> namespace, RuleContext context) {
        this.commands = commands;
        this.namespace = namespace;
        this.context = context;
    }

    /// Whether an agent with iptables has been here.
    static boolean exist(Commands commands, Optional<Path> namespace) {
        try {
            return commands.run(Command.of(namespace, List.of("ipset", "list", "-name")))
                    .output()
                    .lines()
                    .anyMatch(HostPlan.set(Ip.Family.V4)::equals);
        } catch (ProblemException noIpset) {
            return false;
        }
    }

    @Override
    public synchronized void prepare() {
        for (var family : context.families().list()) {
            var inet = family == Ip.Family.V4 ? "inet" : "inet6";
            ipset("create", HostPlan.set(family), "hash:ip", "family", inet, "comment", "-exist");
        }
    }

    @Override
    public synchronized void put(Ip address, String uid) {
        if (isCaptured(address)) {
            var set = HostPlan.set(address.family());
            ipset("add", set, address.toString(), "comment", PodUid.require(uid), "-exist");
        }
    }

    @Override
    public synchronized void remove(Ip address, String uid) {
        if (isCaptured(address) && uid.equals(entries(address.family()).get(address))) {
            ipset("del", HostPlan.set(address.family()), address.toString(), "-exist");
        }
    }

    @Override
    public synchronized Map<Ip, String> entries() {
        var all = new HashMap<Ip, String>();
        context.families().list().forEach(family -> all.putAll(entries(family)));
        return all;
    }

    private Map<Ip, String> entries(Ip.Family family) {
        var found = new HashMap<Ip, String>();
        for (var line : ipset("save", HostPlan.set(family)).lines().toList()) {
            var entry = ENTRY.matcher(line);
            if (entry.matches()) {
                var uid = Optional.ofNullable(entry.group(2)).orElse("");
                Ip.parse(entry.group(1)).ifPresent(address -> found.put(address, uid));
            }
        }
        return found;
    }

    @Override
    public synchronized void flush() {
        context.families().list().forEach(family -> ipset("flush", HostPlan.set(family)));
    }

    @Override
    public synchronized void discard() {
        var there = ipset("list", "-name").lines().toList();
        context.families().list().stream()
                .map(HostPlan::set)
                .filter(there::contains)
                .forEach(set -> ipset("destroy", set));
    }

    private boolean isCaptured(Ip address) {
        return context.families().list().contains(address.family());
    }

    private String ipset(String... words) {
        var line = new ArrayList<>(List.of("ipset"));
        line.addAll(List.of(words));
        return commands.run(Command.of(namespace, line)).orThrow();
    }
}
