// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import io.fathom.model.mesh.IpBlock;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.StringMatch;
import io.fathom.wire.proto.security.Address;
import io.fathom.wire.proto.security.ServiceAccountMatch;
import java.util.List;

/// Reads generated messages as policies; refuses what the model cannot express.
final class AuthorizationReader {
    private AuthorizationReader() {}

    static Authorization authorization(io.fathom.wire.proto.security.Authorization it) {
        return new Authorization(
                it.getName(),
                it.getNamespace(),
                AddressReader.choice("scope", Authorization.Scope.values(), it.getScopeValue()),
                AddressReader.choice("action", Authorization.Action.values(), it.getActionValue()),
                it.getGroupsList().stream()
                        .map(group -> new Authorization.Group(group.getRulesList().stream()
                                .map(rules -> new Authorization.Rules(rules.getMatchesList().stream()
                                        .map(AuthorizationReader::match)
                                        .toList()))
                                .toList()))
                        .toList(),
                it.getDryRun() ? Authorization.DryRun.YES : Authorization.DryRun.NO);
    }

    private static Authorization.Match match(io.fathom.wire.proto.security.Match it) {
        return new Authorization.Match(
                matches(it.getNamespacesList()),
                matches(it.getNotNamespacesList()),
                matches(it.getPrincipalsList()),
                matches(it.getNotPrincipalsList()),
                blocks(it.getSourceIpsList()),
                blocks(it.getNotSourceIpsList()),
                blocks(it.getDestinationIpsList()),
                blocks(it.getNotDestinationIpsList()),
                it.getDestinationPortsList(),
                it.getNotDestinationPortsList(),
                accounts(it.getServiceAccountsList()),
                accounts(it.getNotServiceAccountsList()));
    }

    private static List<StringMatch> matches(List<io.fathom.wire.proto.security.StringMatch> matches) {
        return matches.stream().map(AuthorizationReader::match).toList();
    }

    private static StringMatch match(io.fathom.wire.proto.security.StringMatch it) {
        return switch (it.getMatchTypeCase()) {
            case EXACT -> new StringMatch.Exact(it.getExact());
            case PREFIX -> new StringMatch.Prefix(it.getPrefix());
            case SUFFIX -> new StringMatch.Suffix(it.getSuffix());
            case PRESENCE -> new StringMatch.Presence();
            case MATCHTYPE_NOT_SET -> throw WireProblem.malformed("a string match", "it says nothing to compare with");
        };
    }

    private static List<IpBlock> blocks(List<Address> addresses) {
        return addresses.stream()
                .map(address -> AddressReader.block(AddressReader.ip(address.getAddress()), address.getLength()))
                .toList();
    }

    private static List<Authorization.ServiceAccount> accounts(List<ServiceAccountMatch> accounts) {
        return accounts.stream()
                .map(account -> new Authorization.ServiceAccount(account.getNamespace(), account.getServiceAccount()))
                .toList();
    }
}
