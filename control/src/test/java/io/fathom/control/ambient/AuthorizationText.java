// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Authorization.Group;
import io.fathom.model.policy.Authorization.Match;
import io.fathom.model.policy.Authorization.Rules;
import io.fathom.model.policy.StringMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Authorizations in one line, and the least evaluator that tests of their meaning need.
public final class AuthorizationText {
    private AuthorizationText() {}

    /// For example `DENY NAMESPACE: {destinationPorts=[80]} & {namespaces=[a, b*]}`; groups are separated by `or`.
    public static String of(Authorization policy) {
        var head = policy.action() + " " + policy.scope() + ": ";
        return policy.groups().isEmpty()
                ? head + "nothing"
                : head + policy.groups().stream().map(AuthorizationText::of).collect(Collectors.joining(" or "));
    }

    private static String of(Group group) {
        return group.rules().isEmpty()
                ? "always"
                : group.rules().stream().map(AuthorizationText::of).collect(Collectors.joining(" & "));
    }

    private static String of(Rules rules) {
        return rules.matches().stream().map(AuthorizationText::of).collect(Collectors.joining("|"));
    }

    private static String of(Match match) {
        if (match.equals(Match.EMPTY)) {
            return "never";
        }
        var fields = new ArrayList<String>();
        add(fields, "namespaces", match.namespaces(), AuthorizationText::of);
        add(fields, "notNamespaces", match.notNamespaces(), AuthorizationText::of);
        add(fields, "principals", match.principals(), AuthorizationText::of);
        add(fields, "notPrincipals", match.notPrincipals(), AuthorizationText::of);
        add(fields, "sourceIps", match.sourceIps(), Object::toString);
        add(fields, "notSourceIps", match.notSourceIps(), Object::toString);
        add(fields, "destinationIps", match.destinationIps(), Object::toString);
        add(fields, "notDestinationIps", match.notDestinationIps(), Object::toString);
        add(fields, "destinationPorts", match.destinationPorts(), Object::toString);
        add(fields, "notDestinationPorts", match.notDestinationPorts(), Object::toString);
        add(fields, "serviceAccounts", match.serviceAccounts(), account -> account.namespace() + "/" + account.name());
        add(
                fields,
                "notServiceAccounts",
                match.notServiceAccounts(),
                account -> account.namespace() + "/" + account.name());
        return "{" + String.join(" ", fields) + "}";
    }

    private static <T> void add(List<String> fields, String name, List<T> values, Function<T, String> text) {
        if (!values.isEmpty()) {
            fields.add(name + "=" + values.stream().map(text).toList());
        }
    }

    private static String of(StringMatch match) {
        return switch (match) {
            case StringMatch.Exact(var value) -> value;
            case StringMatch.Prefix(var value) -> value + "*";
            case StringMatch.Suffix(var value) -> "*" + value;
            case StringMatch.Presence() -> "*";
        };
    }

    /// Whether the policy matches a caller without any identity on this port.
    public static boolean matchesAnonymous(Authorization policy, int port) {
        return policy.groups().stream()
                .anyMatch(group -> group.rules().stream()
                        .allMatch(rules -> rules.matches().isEmpty()
                                || rules.matches().stream().anyMatch(match -> matchesAnonymous(match, port))));
    }

    private static boolean matchesAnonymous(Match match, int port) {
        return !match.equals(Match.EMPTY)
                && match.principals().isEmpty()
                && (match.destinationPorts().isEmpty()
                        || match.destinationPorts().contains(port))
                && !match.notDestinationPorts().contains(port);
    }
}
