// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.Match.Sense;
import io.fathom.node.cni.rules.Match.Side;
import java.util.ArrayList;
import java.util.List;

/// Rules as arguments of iptables. Pure.
final class IptablesText {
    private static final String MASK = "/0xfff";

    private IptablesText() {}

    /// Conditions and target, without the chain.
    static List<String> arguments(Rule rule) {
        var words = new ArrayList<String>();
        rule.matches().forEach(match -> words.addAll(words(match)));
        words.addAll(words(rule.target()));
        return words;
    }

    /// As one line of a rules file, appended to its chain.
    static String line(Rule rule) {
        return "-A " + rule.chain().iptables() + " " + String.join(" ", arguments(rule));
    }

    private static List<String> words(Match match) {
        return switch (match) {
            case Match.From(Ip address) -> List.of("-s", block(address));
            case Match.To(Sense sense, Ip address) -> sensed(sense, "-d", block(address));
            case Match.Enters(String link) -> List.of("-i", link);
            case Match.Leaves(Sense sense, String link) -> sensed(sense, "-o", link);
            case Match.Uses(Match.RuleTransport transport) -> List.of("-p", transport.word());
            case Match.WithPorts(Match.RuleTransport transport) -> List.of("-m", transport.word());
            case Match.Port port ->
                sensed(port.sense(), port.side() == Side.SOURCE ? "--sport" : "--dport", "" + port.number());
            case Match.Marked(Sense sense, int mark) -> module("mark", sensed(sense, "--mark", hex(mark) + MASK));
            case Match.ConnectionMarked(int mark) -> List.of("-m", "connmark", "--mark", hex(mark) + MASK);
            case Match.FromSocket _ -> List.of("-m", "owner", "--socket-exists");
            case Match.ToSet set -> List.of("-m", "set", "--match-set", set.name(), "dst");
        };
    }

    private static List<String> words(Target target) {
        return switch (target) {
            case Target.Jump(Chain chain) -> List.of("-j", chain.iptables());
            case Target.Accept() -> List.of("-j", "ACCEPT");
            case Target.Return() -> List.of("-j", "RETURN");
            case Target.Drop() -> List.of("-j", "DROP");
            case Target.Redirect(int port) -> List.of("-j", "REDIRECT", "--to-ports", "" + port);
            case Target.MarkConnection(int mark) -> List.of("-j", "CONNMARK", "--set-xmark", hex(mark) + MASK);
            case Target.RestoreMark() ->
                List.of("-j", "CONNMARK", "--restore-mark", "--nfmask", "0xffffffff", "--ctmask", "0xffffffff");
            case Target.Zone(int number) -> List.of("-j", "CT", "--zone", "" + number);
            case Target.SourceAddress(Ip address) -> List.of("-j", "SNAT", "--to-source", address.toString());
        };
    }

    private static List<String> sensed(Sense sense, String option, String value) {
        return sense == Sense.IS ? List.of(option, value) : List.of("!", option, value);
    }

    private static List<String> module(String name, List<String> options) {
        var words = new ArrayList<>(List.of("-m", name));
        words.addAll(options);
        return words;
    }

    private static String block(Ip address) {
        return address + "/" + address.family().bits();
    }

    private static String hex(int value) {
        return "0x" + Integer.toHexString(value);
    }
}
