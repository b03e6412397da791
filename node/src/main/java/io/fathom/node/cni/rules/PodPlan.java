// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import static io.fathom.node.cni.rules.Chain.OUR_OUTPUT;
import static io.fathom.node.cni.rules.Chain.OUR_PREROUTING;
import static io.fathom.node.cni.rules.Match.RuleTransport.TCP;
import static io.fathom.node.cni.rules.Match.RuleTransport.UDP;
import static io.fathom.node.cni.rules.Match.Sense.IS;
import static io.fathom.node.cni.rules.Match.Sense.IS_NOT;
import static io.fathom.node.cni.rules.Match.Side.DESTINATION;
import static io.fathom.node.cni.rules.Match.Side.SOURCE;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.CaptureSettings.InboundCapture;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;

/// Which rules a pod gets. Pure.
///
/// What the node proxy sends carries the mark `0x539`. It reaches the pod's own server from the address of the client;
/// so that the answers come back to the proxy, such connections carry the mark `0x111`, their answers get it too, and
/// what has it stays on this machine ([MarkRoutes]).
final class PodPlan {
    static final int FROM_PROXY = 0x539;
    static final int TO_APP = 0x111;
    static final int OUTBOUND = 15001;
    static final int INBOUND = 15006;
    static final int HBONE = 15008;
    static final int DNS = 15053;

    private static final int DNS_PORT = 53;
    private static final int DNS_ZONE = 1;
    private static final Match NOT_FROM_PROXY = new Match.Marked(IS_NOT, FROM_PROXY);

    private PodPlan() {}

    static List<RulePlan> of(CaptureSettings settings, RuleContext context) {
        return context.families().list().stream()
                .map(family -> of(family, settings, context))
                .toList();
    }

    static RulePlan of(Ip.Family family, CaptureSettings settings, RuleContext context) {
        var tables = new EnumMap<Table, List<Rule>>(Table.class);
        tables.put(Table.MANGLE, mangle());
        tables.put(Table.NAT, nat(family, settings, context.probe(family)));
        if (settings.dns() == DnsCapture.CAPTURED) {
            tables.put(Table.RAW, raw());
        }
        return new RulePlan(family, tables);
    }

    private static List<Rule> mangle() {
        return List.of(
                Rule.jump(Chain.PREROUTING, OUR_PREROUTING),
                Rule.jump(Chain.OUTPUT, OUR_OUTPUT),
                rule(OUR_PREROUTING, new Target.MarkConnection(TO_APP), new Match.Marked(IS, FROM_PROXY)),
                rule(OUR_OUTPUT, new Target.RestoreMark(), new Match.ConnectionMarked(TO_APP)));
    }

    private static List<Rule> nat(Ip.Family family, CaptureSettings settings, Ip probe) {
        var rules = new ArrayList<Rule>();
        rules.add(Rule.jump(Chain.OUTPUT, OUR_OUTPUT));
        rules.add(Rule.jump(Chain.PREROUTING, OUR_PREROUTING));
        arriving(rules, settings, probe, elsewhere(family));
        leaving(rules, settings, probe, elsewhere(family));
        return rules;
    }

    private static void arriving(List<Rule> rules, CaptureSettings settings, Ip probe, Match elsewhere) {
        for (var link : settings.virtualInterfaces()) {
            var enters = new Match.Enters(link);
            rules.add(rule(OUR_PREROUTING, new Target.Redirect(OUTBOUND), enters, new Match.Uses(TCP)));
            rules.add(rule(OUR_PREROUTING, new Target.Return(), enters, new Match.Uses(TCP)));
        }
        if (settings.inbound() == InboundCapture.LEFT_ALONE) {
            return;
        }
        rules.add(rule(
                OUR_PREROUTING,
                new Target.Accept(),
                new Match.From(probe),
                new Match.Uses(TCP),
                new Match.WithPorts(TCP)));
        rules.add(rule(
                OUR_PREROUTING,
                new Target.Redirect(INBOUND),
                elsewhere,
                new Match.Uses(TCP),
                new Match.Port(DESTINATION, IS_NOT, TCP, HBONE),
                NOT_FROM_PROXY));
    }

    private static void leaving(List<Rule> rules, CaptureSettings settings, Ip probe, Match elsewhere) {
        rules.add(rule(
                OUR_OUTPUT,
                new Target.Accept(),
                new Match.To(IS, probe),
                new Match.Uses(TCP),
                new Match.WithPorts(TCP)));
        if (settings.dns() == DnsCapture.CAPTURED) {
            rules.add(rule(
                    OUR_OUTPUT,
                    new Target.Redirect(DNS),
                    new Match.Leaves(IS_NOT, "lo"),
                    new Match.Uses(UDP),
                    NOT_FROM_PROXY,
                    new Match.WithPorts(UDP),
                    new Match.Port(DESTINATION, IS, UDP, DNS_PORT)));
            rules.add(rule(
                    OUR_OUTPUT,
                    new Target.Redirect(DNS),
                    elsewhere,
                    new Match.Uses(TCP),
                    new Match.Port(DESTINATION, IS, TCP, DNS_PORT),
                    NOT_FROM_PROXY));
        }
        rules.add(rule(OUR_OUTPUT, new Target.Accept(), new Match.Uses(TCP), new Match.Marked(IS, TO_APP)));
        rules.add(rule(OUR_OUTPUT, new Target.Accept(), elsewhere, new Match.Leaves(IS, "lo")));
        rules.add(rule(OUR_OUTPUT, new Target.Redirect(OUTBOUND), elsewhere, new Match.Uses(TCP), NOT_FROM_PROXY));
    }

    /// A query and the same query as the proxy passes it on must not be taken for one connection.
    private static List<Rule> raw() {
        return List.of(
                Rule.jump(Chain.PREROUTING, OUR_PREROUTING),
                Rule.jump(Chain.OUTPUT, OUR_OUTPUT),
                rule(
                        OUR_OUTPUT,
                        new Target.Zone(DNS_ZONE),
                        new Match.Uses(UDP),
                        new Match.Marked(IS, FROM_PROXY),
                        new Match.WithPorts(UDP),
                        new Match.Port(DESTINATION, IS, UDP, DNS_PORT)),
                rule(
                        OUR_PREROUTING,
                        new Target.Zone(DNS_ZONE),
                        new Match.Uses(UDP),
                        NOT_FROM_PROXY,
                        new Match.WithPorts(UDP),
                        new Match.Port(SOURCE, IS, UDP, DNS_PORT)));
    }

    private static Match elsewhere(Ip.Family family) {
        return new Match.To(
                IS_NOT, Ip.parse(family == Ip.Family.V4 ? "127.0.0.1" : "::1").orElseThrow());
    }

    private static Rule rule(Chain chain, Target target, Match... matches) {
        return new Rule(chain, List.of(matches), target);
    }
}
