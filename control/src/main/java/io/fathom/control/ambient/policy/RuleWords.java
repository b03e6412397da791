// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Authorization.Group;
import io.fathom.model.policy.Authorization.Match;
import io.fathom.model.policy.Authorization.Rules;
import io.fathom.model.policy.Authorization.ServiceAccount;
import io.fathom.model.policy.StringMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/// A policy as node proxies enforce it, in words. Pure.
final class RuleWords {
    private RuleWords() {}

    /// `ALLOW to port 8080 from namespace shop; or anything`.
    static String of(Authorization policy) {
        var alternatives = policy.groups().stream()
                .filter(group -> !L4Rule.isInert(group))
                .map(RuleWords::group)
                .toList();
        if (alternatives.isEmpty()) {
            return policy.action() == Authorization.Action.ALLOW
                    ? "ALLOW nothing, so every connection to these workloads is denied unless another policy allows it"
                    : "DENY nothing";
        }
        return policy.action() + " " + String.join("; or ", alternatives);
    }

    private static String group(Group group) {
        var clauses = group.rules().stream()
                .filter(rules -> !rules.matches().isEmpty())
                .map(RuleWords::rules)
                .toList();
        return clauses.isEmpty() ? "every connection" : String.join(" ", clauses);
    }

    private static String rules(Rules rules) {
        var matches = rules.matches().stream()
                .filter(match -> !match.equals(Match.EMPTY))
                .map(RuleWords::match)
                .toList();
        return matches.size() == 1 ? matches.getFirst() : "(" + String.join(" or ", matches) + ")";
    }

    private static String match(Match match) {
        var parts = new ArrayList<String>();
        add(parts, "to port ", match.destinationPorts(), String::valueOf);
        add(parts, "not to port ", match.notDestinationPorts(), String::valueOf);
        add(parts, "to address ", match.destinationIps(), String::valueOf);
        add(parts, "not to address ", match.notDestinationIps(), String::valueOf);
        add(parts, "from principal ", match.principals(), RuleWords::text);
        add(parts, "not from principal ", match.notPrincipals(), RuleWords::text);
        add(parts, "from namespace ", match.namespaces(), RuleWords::text);
        add(parts, "not from namespace ", match.notNamespaces(), RuleWords::text);
        add(parts, "from service account ", match.serviceAccounts(), RuleWords::account);
        add(parts, "not from service account ", match.notServiceAccounts(), RuleWords::account);
        add(parts, "from address ", match.sourceIps(), String::valueOf);
        add(parts, "not from address ", match.notSourceIps(), String::valueOf);
        return String.join(" ", parts);
    }

    private static <T> void add(List<String> parts, String words, List<T> values, Function<T, String> text) {
        if (!values.isEmpty()) {
            parts.add(words + values.stream().map(text).collect(Collectors.joining(" or ")));
        }
    }

    private static String account(ServiceAccount account) {
        return account.namespace() + "/" + account.name();
    }

    private static String text(StringMatch match) {
        return switch (match) {
            case StringMatch.Exact exact -> exact.value();
            case StringMatch.Prefix prefix -> prefix.value() + "*";
            case StringMatch.Suffix suffix -> "*" + suffix.value();
            case StringMatch.Presence _ -> "*";
        };
    }
}
