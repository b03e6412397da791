// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import io.fathom.model.mesh.IpBlock;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.StringMatch;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.List;

/// Reads one policy of a [LocalMesh].
final class LocalPolicy {
    private static final Choices<Authorization.Scope> SCOPES = Choices.of(Authorization.Scope.class, DumpSpelling::of);
    private static final Choices<Authorization.Action> ACTIONS =
            Choices.of(Authorization.Action.class, DumpSpelling::of);

    private LocalPolicy() {}

    static Authorization read(Field it) {
        return new Authorization(
                it.at("name").requiredText(),
                it.at("namespace").text(),
                it.at("scope").oneOf(SCOPES),
                it.at("action").oneOf(ACTIONS),
                it.at("rules").items().stream()
                        .map(group -> new Authorization.Group(group.items().stream()
                                .map(rules -> new Authorization.Rules(rules.items().stream()
                                        .map(LocalPolicy::match)
                                        .toList()))
                                .toList()))
                        .toList(),
                it.at("dryRun").flag() ? Authorization.DryRun.YES : Authorization.DryRun.NO);
    }

    private static Authorization.Match match(Field it) {
        return new Authorization.Match(
                strings(it.at("namespaces")),
                strings(it.at("notNamespaces")),
                strings(it.at("principals")),
                strings(it.at("notPrincipals")),
                blocks(it.at("sourceIps")),
                blocks(it.at("notSourceIps")),
                blocks(it.at("destinationIps")),
                blocks(it.at("notDestinationIps")),
                ports(it.at("destinationPorts")),
                ports(it.at("notDestinationPorts")),
                accounts(it.at("serviceAccounts")),
                accounts(it.at("notServiceAccounts")));
    }

    private static List<StringMatch> strings(Field field) {
        return field.items().stream().map(LocalPolicy::string).toList();
    }

    private static StringMatch string(Field field) {
        var entries = field.entries();
        if (entries.size() == 1) {
            var entry = entries.entrySet().iterator().next();
            switch (entry.getKey()) {
                case "Exact" -> {
                    return new StringMatch.Exact(entry.getValue().text());
                }
                case "Prefix" -> {
                    return new StringMatch.Prefix(entry.getValue().text());
                }
                case "Suffix" -> {
                    return new StringMatch.Suffix(entry.getValue().text());
                }
                case "Presence" -> {
                    return new StringMatch.Presence();
                }
                default -> {}
            }
        }
        throw field.wrong(
                "manifest-bad-value",
                "is no match",
                "write one of {Exact: x}, {Prefix: x}, {Suffix: x}, {Presence: []}");
    }

    private static List<IpBlock> blocks(Field field) {
        return field.items().stream()
                .map(item -> IpBlock.parse(item.text())
                        .orElseThrow(() -> item.wrong(
                                "manifest-bad-value",
                                "is \"" + item.text() + "\"",
                                "write a range such as 10.0.0.0/8")))
                .toList();
    }

    private static List<Integer> ports(Field field) {
        return field.items().stream()
                .map(item -> item.requiredInteger(0, 0xffff))
                .toList();
    }

    private static List<Authorization.ServiceAccount> accounts(Field field) {
        return field.items().stream()
                .map(item -> new Authorization.ServiceAccount(
                        item.at("namespace").text(), item.at("serviceAccount").requiredText()))
                .toList();
    }
}
