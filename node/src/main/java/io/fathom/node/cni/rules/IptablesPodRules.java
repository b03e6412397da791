// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.RuleContext.Reconcile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Rules in pods by iptables. Looks first and writes only what differs; while rules are exchanged nothing passes.
final class IptablesPodRules implements PodRules {
    private final Commands commands;
    private final Iptables iptables;
    private final RuleContext context;
    private final Path lockFile;
    private final MarkRoutes routes;

    IptablesPodRules(Commands commands, Iptables iptables, RuleContext context, Path lockFile) {
        this.commands = commands;
        this.iptables = iptables;
        this.context = context;
        this.lockFile = lockFile;
        this.routes = new MarkRoutes(commands, context);
    }

    @Override
    public Applied apply(Path namespace, CaptureSettings settings) {
        routes.add(namespace);
        var applied = Applied.UNCHANGED;
        for (var plan : PodPlan.of(settings, context)) {
            var one = apply(tables(namespace), plan);
            applied = one.compareTo(applied) > 0 ? one : applied;
        }
        return applied;
    }

    private Applied apply(IptablesTables tables, RulePlan plan) {
        var saved = tables.save(plan.family());
        if (!saved.hasOwnChains()) {
            tables.change(plan.family(), IptablesChange.replace(saved, plan));
            return Applied.WRITTEN;
        }
        var differences = tables.compare(plan, saved);
        if (differences.isEmpty()) {
            return Applied.UNCHANGED;
        }
        if (context.reconcile() == Reconcile.REFUSE) {
            throw new ProblemException(new Problem(
                    "rules-differ",
                    "the pod has other rules of the mesh: " + differences,
                    "let the agent repair them with AMBIENT_RECONCILE_POD_RULES_ON_STARTUP, or restart the pod",
                    Problem.Origin.MESH,
                    Problem.Retry.POINTLESS));
        }
        exchange(tables, plan, saved);
        return Applied.REPLACED;
    }

    private static void exchange(IptablesTables tables, RulePlan plan, SavedRules before) {
        var family = plan.family();
        if (!before.chains(Table.FILTER).containsKey(IptablesChange.GUARD)) {
            tables.change(family, IptablesChange.guard());
        }
        try {
            tables.change(family, IptablesChange.replace(before.without(IptablesChange.GUARD), plan));
        } finally {
            tables.change(family, IptablesChange.lift());
        }
    }

    @Override
    public void remove(Path namespace) {
        try {
            for (var family : context.families().list()) {
                var tables = tables(namespace);
                tables.change(family, IptablesChange.remove(tables.save(family), nothing(family)));
            }
            routes.remove(namespace);
        } catch (ProblemException e) {
            if (Files.exists(namespace)) {
                throw e;
            }
        }
    }

    @Override
    public List<Difference> inspect(Path namespace, CaptureSettings settings) {
        var differences = new ArrayList<>(routes.inspect(namespace));
        var tables = tables(namespace);
        for (var plan : PodPlan.of(settings, context)) {
            differences.addAll(tables.compare(plan, tables.save(plan.family())));
        }
        return differences;
    }

    private static RulePlan nothing(Ip.Family family) {
        return new RulePlan(family, Map.of());
    }

    private IptablesTables tables(Path namespace) {
        return new IptablesTables(commands, iptables, Optional.of(namespace), Optional.of(lockFile));
    }
}
