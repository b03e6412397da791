// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.Difference.DifferenceKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/// How saved rules differ from planned ones: our chains must be the same, with the same rules in the same order; of
/// other chains only the way into ours is looked at.
///
/// Tools of another version may print a rule in a form that we do not know. A chain that has as many rules as it
/// should is therefore asked for the unknown ones with `present`, and believed.
final class Comparison {
    private final RulePlan plan;
    private final SavedRules saved;
    private final BiPredicate<Table, Rule> present;
    private final List<Difference> differences = new ArrayList<>();

    private Comparison(RulePlan plan, SavedRules saved, BiPredicate<Table, Rule> present) {
        this.plan = plan;
        this.saved = saved;
        this.present = present;
    }

    static List<Difference> of(RulePlan plan, SavedRules saved, BiPredicate<Table, Rule> present) {
        var comparison = new Comparison(plan, saved, present);
        for (var table : Table.values()) {
            comparison.ownChains(table);
            comparison.waysIn(table);
        }
        return comparison.differences;
    }

    private void ownChains(Table table) {
        var wanted = plan.ownChains(table).stream().map(Chain::iptables).toList();
        for (var name : saved.ownChains(table)) {
            if (!wanted.contains(name)) {
                differences.add(new Difference(DifferenceKind.UNEXPECTED, place(table, name), "the chain"));
            }
        }
        for (var name : wanted) {
            if (saved.chains(table).containsKey(name)) {
                rules(table, name, saved.rules(table, name));
            } else {
                differences.add(new Difference(DifferenceKind.MISSING, place(table, name), "the chain"));
            }
        }
    }

    private void waysIn(Table table) {
        var planned = plan.rules(table).stream().map(rule -> rule.chain().iptables());
        Stream.concat(saved.chains(table).keySet().stream(), planned)
                .filter(name -> !name.startsWith(Chain.PREFIX))
                .distinct()
                .forEach(name -> rules(table, name, SavedReferences.to(saved, table, name)));
    }

    private void rules(Table table, String chain, List<String> actual) {
        var wanted = plan.rules(table).stream()
                .filter(rule -> rule.chain().iptables().equals(chain))
                .toList();
        var wantedForms = wanted.stream()
                .map(rule -> RuleForm.of(IptablesText.arguments(rule)))
                .toList();
        var actualForms = actual.stream().map(RuleForm::of).toList();
        if (wantedForms.equals(actualForms)) {
            return;
        }
        var missing = without(wanted, wantedForms, actualForms);
        var unexpected = without(actual, actualForms, wantedForms);
        if (wanted.size() == actual.size()
                && !missing.isEmpty()
                && missing.stream().allMatch(rule -> present.test(table, rule))) {
            return;
        }
        var place = place(table, chain);
        missing.forEach(rule -> differences.add(
                new Difference(DifferenceKind.MISSING, place, String.join(" ", IptablesText.arguments(rule)))));
        unexpected.forEach(rule -> differences.add(new Difference(DifferenceKind.UNEXPECTED, place, rule)));
        if (missing.isEmpty() && unexpected.isEmpty()) {
            differences.add(
                    new Difference(DifferenceKind.MISPLACED, place, firstMoved(actual, wantedForms, actualForms)));
        }
    }

    /// Those whose form is not among the others, each of the others counted once.
    private static <T> List<T> without(List<T> items, List<RuleForm> forms, List<RuleForm> others) {
        var left = new ArrayList<>(others);
        var result = new ArrayList<T>();
        for (int i = 0; i < items.size(); i++) {
            if (!left.remove(forms.get(i))) {
                result.add(items.get(i));
            }
        }
        return result;
    }

    private static String firstMoved(List<String> actual, List<RuleForm> wantedForms, List<RuleForm> actualForms) {
        int at = 0;
        while (wantedForms.get(at).equals(actualForms.get(at))) {
            at++;
        }
        return actual.get(at);
    }

    private String place(Table table, String chain) {
        return place(plan.family(), Optional.of(table), chain);
    }

    static String place(Ip.Family family, Optional<Table> table, String what) {
        var version = family == Ip.Family.V4 ? "IPv4" : "IPv6";
        return version + " " + table.map(known -> known.word() + " ").orElse("") + what;
    }
}
