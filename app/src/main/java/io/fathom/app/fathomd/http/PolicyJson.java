// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.app.http.JsonOut;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Authorization.Match;
import io.fathom.model.policy.Authorization.ServiceAccount;
import io.fathom.model.policy.StringMatch;
import java.util.List;

/// Policies in protobuf's JSON, except that addresses are readable text instead of base64. Pure.
final class PolicyJson {
    private PolicyJson() {}

    static void policy(JsonOut json, Authorization policy) {
        json.text("name", policy.name())
                .text("namespace", policy.namespace())
                .choice("scope", policy.scope())
                .choice("action", policy.action())
                .list(
                        "groups",
                        policy.groups(),
                        (out, group) -> out.object(it -> it.list(
                                "rules",
                                group.rules(),
                                (to, rules) -> to.object(rule -> rule.list(
                                        "matches",
                                        rules.matches(),
                                        (list, match) -> list.object(m -> match(m, match)))))))
                .flag("dryRun", policy.dryRun() == Authorization.DryRun.YES);
    }

    private static void match(JsonOut json, Match match) {
        strings(json, "namespaces", match.namespaces());
        strings(json, "notNamespaces", match.notNamespaces());
        strings(json, "principals", match.principals());
        strings(json, "notPrincipals", match.notPrincipals());
        blocks(json, "sourceIps", match.sourceIps());
        blocks(json, "notSourceIps", match.notSourceIps());
        blocks(json, "destinationIps", match.destinationIps());
        blocks(json, "notDestinationIps", match.notDestinationIps());
        json.list("destinationPorts", match.destinationPorts(), (out, port) -> out.value((long) port));
        json.list("notDestinationPorts", match.notDestinationPorts(), (out, port) -> out.value((long) port));
        accounts(json, "serviceAccounts", match.serviceAccounts());
        accounts(json, "notServiceAccounts", match.notServiceAccounts());
    }

    private static void strings(JsonOut json, String name, List<StringMatch> matches) {
        json.list(
                name,
                matches,
                (out, match) -> out.object(it -> {
                    switch (match) {
                        case StringMatch.Exact(var value) -> it.text("exact", value);
                        case StringMatch.Prefix(var value) -> it.text("prefix", value);
                        case StringMatch.Suffix(var value) -> it.text("suffix", value);
                        case StringMatch.Presence() -> it.object("presence", _ -> {});
                    }
                }));
    }

    private static void blocks(JsonOut json, String name, List<IpBlock> blocks) {
        json.list(name, blocks, (out, block) -> out.object(it -> MeshJson.block(it, block)));
    }

    private static void accounts(JsonOut json, String name, List<ServiceAccount> accounts) {
        json.list(
                name,
                accounts,
                (out, account) -> out.object(
                        it -> it.text("namespace", account.namespace()).text("serviceAccount", account.name())));
    }
}
