// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import io.fathom.model.mesh.IpBlock;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.StringMatch;
import io.fathom.wire.protobuf.ProtoWriter;
import java.util.List;

/// Writes policies, fields in descending order (see [ProtoWriter]).
final class AuthorizationWriter {
    private final ProtoWriter out = new ProtoWriter();

    private AuthorizationWriter() {}

    static byte[] write(Authorization it) {
        var writer = new AuthorizationWriter();
        writer.out.choice(6, it.dryRun());
        for (int i = it.groups().size() - 1; i >= 0; i--) {
            writer.group(5, it.groups().get(i));
        }
        writer.out.choice(4, it.action());
        writer.out.choice(3, it.scope());
        writer.out.text(2, it.namespace());
        writer.out.text(1, it.name());
        return writer.out.bytes();
    }

    private void group(int field, Authorization.Group group) {
        var mark = out.mark();
        for (int i = group.rules().size() - 1; i >= 0; i--) {
            rules(1, group.rules().get(i));
        }
        out.close(field, mark);
    }

    private void rules(int field, Authorization.Rules rules) {
        var mark = out.mark();
        for (int i = rules.matches().size() - 1; i >= 0; i--) {
            match(2, rules.matches().get(i));
        }
        out.close(field, mark);
    }

    private void match(int field, Authorization.Match it) {
        var mark = out.mark();
        accounts(12, it.notServiceAccounts());
        accounts(11, it.serviceAccounts());
        out.numbers(10, it.notDestinationPorts());
        out.numbers(9, it.destinationPorts());
        blocks(8, it.notDestinationIps());
        blocks(7, it.destinationIps());
        blocks(6, it.notSourceIps());
        blocks(5, it.sourceIps());
        matches(4, it.notPrincipals());
        matches(3, it.principals());
        matches(2, it.notNamespaces());
        matches(1, it.namespaces());
        out.close(field, mark);
    }

    private void accounts(int field, List<Authorization.ServiceAccount> accounts) {
        for (int i = accounts.size() - 1; i >= 0; i--) {
            var mark = out.mark();
            out.text(2, accounts.get(i).name());
            out.text(1, accounts.get(i).namespace());
            out.close(field, mark);
        }
    }

    private void blocks(int field, List<IpBlock> blocks) {
        for (int i = blocks.size() - 1; i >= 0; i--) {
            var mark = out.mark();
            out.number(2, blocks.get(i).length());
            out.ip(1, blocks.get(i).address());
            out.close(field, mark);
        }
    }

    private void matches(int field, List<StringMatch> matches) {
        for (int i = matches.size() - 1; i >= 0; i--) {
            var mark = out.mark();
            switch (matches.get(i)) {
                case StringMatch.Exact(var value) -> out.element(1, value);
                case StringMatch.Prefix(var value) -> out.element(2, value);
                case StringMatch.Suffix(var value) -> out.element(3, value);
                case StringMatch.Presence() -> out.close(4, out.mark());
            }
            out.close(field, mark);
        }
    }
}
