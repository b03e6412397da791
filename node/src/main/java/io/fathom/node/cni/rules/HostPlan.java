// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;
import java.util.List;
import java.util.Map;

/// Which rules the host gets: what a process of the node sends to a captured pod comes from the probes' address. And
/// nothing else does: the address exists only on the way from a process of this node to a pod of it, so whatever
/// enters the node with it is forged. Pure.
final class HostPlan {
    private HostPlan() {}

    static List<RulePlan> of(RuleContext context, int prober) {
        return context.families().list().stream()
                .map(family -> new RulePlan(family, tables(family, context.probe(family), prober)))
                .toList();
    }

    static String set(Ip.Family family) {
        return family == Ip.Family.V4 ? "istio-inpod-probes-v4" : "istio-inpod-probes-v6";
    }

    private static Map<Table, List<Rule>> tables(Ip.Family family, Ip probe, int prober) {
        var forged = new Rule(Chain.CLAIMS, List.of(new Match.From(probe)), new Target.Drop());
        return Map.of(
                Table.NAT, nat(family, probe, prober),
                Table.RAW, List.of(Rule.jump(Chain.PREROUTING, Chain.CLAIMS), forged));
    }

    private static List<Rule> nat(Ip.Family family, Ip probe, int prober) {
        return List.of(
                Rule.jump(Chain.POSTROUTING, Chain.OUR_POSTROUTING),
                new Rule(
                        Chain.OUR_POSTROUTING,
                        List.of(
                                new Match.FromSocket(prober),
                                new Match.Uses(Match.RuleTransport.TCP),
                                new Match.ToSet(family, set(family))),
                        new Target.SourceAddress(probe)));
    }
}
