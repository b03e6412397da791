// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.node.cni.rules.Difference.DifferenceKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The program nft. It prints rules in other words than it was given, and each version in others; what it would print
/// is learnt from itself, in a network namespace that lasts as long as the call.
final class Nft {
    private static final int REMEMBERED = 64;

    private final Commands commands;
    /// What it prints for a change; forgotten when there are too many.
    private final Map<String, NftListing> learnt = new HashMap<>();

    Nft(Commands commands) {
        this.commands = commands;
    }

    boolean isUsable() {
        return commands.has("nft");
    }

    void change(Optional<Path> namespace, String text) {
        var _ = commands.run(Command.of(namespace, List.of("nft", "-f", "-")).withInput(text))
                .orThrow();
    }

    NftListing list(Optional<Path> namespace) {
        var words = List.of("nft", "--stateless", "--numeric", "list", "ruleset", "inet");
        return NftListing.ofRuleset(commands.run(Command.of(namespace, words)).orThrow());
    }

    /// What it prints about one thing.
    String show(Optional<Path> namespace, String... what) {
        var words = new ArrayList<>(List.of("nft", "list"));
        words.addAll(List.of(what));
        return commands.run(Command.of(namespace, words)).orThrow();
    }

    /// What [#list] answers after that change in an empty namespace.
    synchronized NftListing expected(String change) {
        var known = learnt.get(change);
        if (known != null) {
            return known;
        }
        var words = List.of("unshare", "--net", "nft", "--echo", "--stateless", "--numeric", "-f", "-");
        var listing = NftListing.ofEcho(
                commands.run(Command.of(Optional.empty(), words).withInput(change))
                        .orThrow());
        if (learnt.size() == REMEMBERED) {
            learnt.clear();
        }
        learnt.put(change, listing);
        return listing;
    }

    /// How the chains that are expected, and others beside them, are not as expected.
    static List<Difference> compare(NftListing expected, NftListing actual) {
        var differences = new ArrayList<Difference>();
        expected.tables().forEach((table, chains) -> {
            var there = actual.tables().getOrDefault(table, Map.of());
            chains.forEach((chain, rules) -> {
                var place = table + " " + chain;
                if (there.containsKey(chain)) {
                    rules(place, rules, there.getOrDefault(chain, List.of()), differences);
                } else {
                    differences.add(new Difference(DifferenceKind.MISSING, place, "the chain"));
                }
            });
        });
        return differences;
    }

    private static void rules(String place, List<String> wanted, List<String> actual, List<Difference> differences) {
        if (wanted.equals(actual)) {
            return;
        }
        var missing = minus(wanted, actual);
        var unexpected = minus(actual, wanted);
        missing.forEach(rule -> differences.add(new Difference(DifferenceKind.MISSING, place, rule)));
        unexpected.forEach(rule -> differences.add(new Difference(DifferenceKind.UNEXPECTED, place, rule)));
        if (missing.isEmpty() && unexpected.isEmpty()) {
            differences.add(new Difference(DifferenceKind.MISPLACED, place, actual.toString()));
        }
    }

    private static List<String> minus(List<String> some, List<String> others) {
        var left = new ArrayList<>(others);
        return some.stream().filter(rule -> !left.remove(rule)).toList();
    }
}
