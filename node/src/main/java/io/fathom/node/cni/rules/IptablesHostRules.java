// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The host's rules by iptables, in chains of our own that are entered before all others.
final class IptablesHostRules implements HostRules {
    private static final int ANY_USER = 0; // iptables asks only whether there is a socket

    private final IptablesTables tables;
    private final RuleContext context;

    IptablesHostRules(IptablesTables tables, RuleContext context) {
        this.tables = tables;
        this.context = context;
    }

    @Override
    public void install() {
        for (var plan : HostPlan.of(context, ANY_USER)) {
            var change = IptablesChange.replaceOwn(tables.save(plan.family()), plan, plan);
            tables.change(plan.family(), change.replaceAll("(?m)^-A (PREROUTING|POSTROUTING) ", "-I $1 1 "));
        }
    }

    @Override
    public void remove() {
        for (var plan : HostPlan.of(context, ANY_USER)) {
            var nothing = new RulePlan(plan.family(), Map.of());
            tables.change(plan.family(), IptablesChange.replaceOwn(tables.save(plan.family()), nothing, plan));
        }
    }

    @Override
    public List<Difference> inspect() {
        var differences = new ArrayList<Difference>();
        for (var plan : HostPlan.of(context, ANY_USER)) {
            differences.addAll(tables.compare(plan, tables.save(plan.family()).only(plan)));
        }
        return differences;
    }
}
