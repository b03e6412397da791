// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Several ways to compare one text, any of which will do. Exact ones cost one lookup however many there are.
final class TextSet {
    private final Set<String> exact;
    private final StringMatch[] others;

    private TextSet(Set<String> exact, StringMatch[] others) {
        this.exact = exact;
        this.others = others;
    }

    static TextSet of(List<StringMatch> matches) {
        var exact = new HashSet<String>();
        for (var match : matches) {
            if (match instanceof StringMatch.Exact(var value)) {
                exact.add(value);
            }
        }
        var others = matches.stream()
                .filter(match -> !(match instanceof StringMatch.Exact))
                .distinct()
                .toArray(StringMatch[]::new);
        return new TextSet(Set.copyOf(exact), others);
    }

    boolean matches(String text) {
        if (exact.contains(text)) {
            return true;
        }
        for (var match : others) {
            var holds = switch (match) {
                case StringMatch.Exact(var value) -> text.equals(value);
                case StringMatch.Prefix(var value) -> text.startsWith(value);
                case StringMatch.Suffix(var value) -> text.endsWith(value);
                case StringMatch.Presence _ -> !text.isEmpty();
            };
            if (holds) {
                return true;
            }
        }
        return false;
    }
}
