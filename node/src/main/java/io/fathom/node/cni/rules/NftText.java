// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.Match.Sense;
import io.fathom.node.cni.rules.Match.Side;
import java.util.ArrayList;
import java.util.List;

/// Rules as statements of nftables. Pure.
final class NftText {
    private NftText() {}

    /// The rule of one IP version. A rule without addresses holds for both, unless it is told to keep to IPv4.
    static String rule(Rule rule, Scope scope) {
        var words = new ArrayList<String>();
        var jumps = rule.target() instanceof Target.Jump;
        if (scope == Scope.V4_ONLY && !jumps && rule.matches().stream().noneMatch(NftText::namesFamily)) {
            words.add("meta nfproto ipv4");
        }
        rule.matches().stream().filter(match -> !isImplied(match, rule)).forEach(match -> words.add(statement(match)));
        words.add("counter");
        words.add(statement(rule.target()));
        return String.join(" ", words);
    }

    /// What the table has to do with.
    enum Scope {
        V4_ONLY,
        BOTH
    }

    private static boolean namesFamily(Match match) {
        return match instanceof Match.From || match instanceof Match.To || match instanceof Match.ToSet;
    }

    /// `tcp dport` says that it is TCP.
    private static boolean isImplied(Match match, Rule rule) {
        return match instanceof Match.WithPorts
                || (match instanceof Match.Uses
                        && rule.matches().stream().anyMatch(other -> other instanceof Match.Port));
    }

    private static String statement(Match match) {
        return switch (match) {
            case Match.From(Ip address) -> ip(address.family()) + " saddr " + address;
            case Match.To(Sense sense, Ip address) -> ip(address.family()) + " daddr " + not(sense) + address;
            case Match.Enters(String link) -> "iifname " + quoted(link);
            case Match.Leaves(Sense sense, String link) -> "oifname " + not(sense) + quoted(link);
            case Match.Uses(Match.RuleTransport transport) -> "meta l4proto " + transport.word();
            case Match.WithPorts _ -> "";
            case Match.Port port ->
                port.transport().word()
                        + (port.side() == Side.SOURCE ? " sport " : " dport ")
                        + not(port.sense())
                        + port.number();
            case Match.Marked(Sense sense, int mark) ->
                "meta mark & 0xfff " + (sense == Sense.IS ? "== " : "!= ") + hex(mark);
            case Match.ConnectionMarked(int mark) -> "ct mark & 0xfff == " + hex(mark);
            case Match.FromSocket(int uid) -> "meta skuid " + uid;
            case Match.ToSet(Ip.Family family, String name) -> ip(family) + " daddr @" + name;
        };
    }

    private static String statement(Target target) {
        return switch (target) {
            case Target.Jump(Chain chain) -> "jump " + chain.nftables();
            case Target.Accept() -> "accept";
            case Target.Return() -> "return";
            case Target.Drop() -> "drop";
            case Target.Redirect(int port) -> "redirect to :" + port;
            case Target.MarkConnection(int mark) -> "ct mark set ct mark & 0xfffff000 | " + hex(mark);
            case Target.RestoreMark() -> "meta mark set ct mark";
            case Target.Zone(int number) -> "ct zone set " + number;
            case Target.SourceAddress(Ip address) -> "snat " + ip(address.family()) + " to " + address;
        };
    }

    /// The rules of a chain: of each the IPv4 one, then its IPv6 twin if that is another.
    static List<String> chain(List<RulePlan> plans, Table table, Chain chain) {
        var scope = plans.size() == 1 ? Scope.V4_ONLY : Scope.BOTH;
        var byFamily = plans.stream()
                .map(plan -> plan.rules(table).stream()
                        .filter(rule -> rule.chain() == chain)
                        .map(rule -> rule(rule, scope))
                        .toList())
                .toList();
        var lines = new ArrayList<String>();
        for (int i = 0; i < byFamily.getFirst().size(); i++) {
            int at = i;
            lines.addAll(
                    byFamily.stream().map(rules -> rules.get(at)).distinct().toList());
        }
        return lines;
    }

    static String hook(Table table, Chain chain) {
        var type = switch (table) {
            case NAT -> "nat";
            case MANGLE -> chain == Chain.OUTPUT ? "route" : "filter";
            case RAW, FILTER -> "filter";
        };
        var priority = switch (table) {
            case NAT -> chain == Chain.POSTROUTING ? 100 : -100;
            case MANGLE -> -150;
            case RAW -> -300;
            case FILTER -> 0;
        };
        return "{ type " + type + " hook " + chain.nftables() + " priority " + priority + " ; policy accept ; }";
    }

    static String table(Table table) {
        return "istio-ambient-" + table.word();
    }

    private static String ip(Ip.Family family) {
        return family == Ip.Family.V4 ? "ip" : "ip6";
    }

    private static String not(Sense sense) {
        return sense == Sense.IS ? "" : "!= ";
    }

    private static String quoted(String link) {
        return "\"" + (link.endsWith("+") ? link.substring(0, link.length() - 1) + "*" : link) + "\"";
    }

    private static String hex(int value) {
        return "0x" + Integer.toHexString(value);
    }
}
