// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.policy.Authorization.Action;
import io.fathom.model.policy.Authorization.DryRun;
import io.fathom.model.policy.Authorization.Group;
import io.fathom.model.policy.Authorization.Match;
import io.fathom.model.policy.Authorization.Rules;
import io.fathom.model.policy.Authorization.Scope;
import io.fathom.model.policy.Authorization.ServiceAccount;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Short ways to write policies, all of namespace `ns1`.
public final class Policies {
    private Policies() {}

    public static Authorization allow(String name, List<Group> groups) {
        return new Authorization(name, "ns1", Scope.NAMESPACE, Action.ALLOW, groups, DryRun.NO);
    }

    public static Authorization deny(String name, List<Group> groups) {
        return new Authorization(name, "ns1", Scope.NAMESPACE, Action.DENY, groups, DryRun.NO);
    }

    public static Authorization dryRun(Authorization policy) {
        return new Authorization(
                policy.name(), policy.namespace(), policy.scope(), policy.action(), policy.groups(), DryRun.YES);
    }

    public static Authorization scoped(Scope scope, Authorization policy) {
        return new Authorization(
                policy.name(), policy.namespace(), scope, policy.action(), policy.groups(), policy.dryRun());
    }

    public static Group group(Rules... rules) {
        return new Group(List.of(rules));
    }

    public static Rules rules(Match... matches) {
        return new Rules(List.of(matches));
    }

    public static Attempt attempt(String identity, String sourceIp, String destination) {
        return new Attempt(
                Identity.parse(identity),
                Ip.parse(sourceIp).orElseThrow(),
                IpPort.parse(destination).orElseThrow());
    }

    public static MatchDraft match() {
        return new MatchDraft();
    }

    /// A match in the making.
    public static final class MatchDraft {
        private List<StringMatch> namespaces = List.of();
        private List<StringMatch> notNamespaces = List.of();
        private List<StringMatch> principals = List.of();
        private List<StringMatch> notPrincipals = List.of();
        private List<IpBlock> sourceIps = List.of();
        private List<IpBlock> notSourceIps = List.of();
        private List<IpBlock> destinationIps = List.of();
        private List<IpBlock> notDestinationIps = List.of();
        private List<Integer> ports = List.of();
        private List<Integer> notPorts = List.of();
        private List<ServiceAccount> accounts = List.of();
        private List<ServiceAccount> notAccounts = List.of();

        private static List<StringMatch> strings(String... values) {
            return Stream.of(values).map(StringMatch::parse).toList();
        }

        private static List<IpBlock> blocks(String... values) {
            return Stream.of(values)
                    .map(text -> IpBlock.parse(text).orElseThrow())
                    .toList();
        }

        private static List<ServiceAccount> serviceAccounts(String... values) {
            return Stream.of(values)
                    .map(text -> text.split("/", 2))
                    .map(parts -> new ServiceAccount(parts[0], parts[1]))
                    .toList();
        }

        public MatchDraft namespaces(String... values) {
            namespaces = strings(values);
            return this;
        }

        public MatchDraft notNamespaces(String... values) {
            notNamespaces = strings(values);
            return this;
        }

        public MatchDraft principals(String... values) {
            principals = strings(values);
            return this;
        }

        public MatchDraft notPrincipals(String... values) {
            notPrincipals = strings(values);
            return this;
        }

        public MatchDraft sourceIps(String... values) {
            sourceIps = blocks(values);
            return this;
        }

        public MatchDraft notSourceIps(String... values) {
            notSourceIps = blocks(values);
            return this;
        }

        public MatchDraft destinationIps(String... values) {
            destinationIps = blocks(values);
            return this;
        }

        public MatchDraft notDestinationIps(String... values) {
            notDestinationIps = blocks(values);
            return this;
        }

        public MatchDraft ports(int... values) {
            ports = IntStream.of(values).boxed().toList();
            return this;
        }

        public MatchDraft notPorts(int... values) {
            notPorts = IntStream.of(values).boxed().toList();
            return this;
        }

        public MatchDraft accounts(String... values) {
            accounts = serviceAccounts(values);
            return this;
        }

        public MatchDraft notAccounts(String... values) {
            notAccounts = serviceAccounts(values);
            return this;
        }

        public Match build() {
            return new Match(
                    namespaces,
                    notNamespaces,
                    principals,
                    notPrincipals,
                    sourceIps,
                    notSourceIps,
                    destinationIps,
                    notDestinationIps,
                    ports,
                    notPorts,
                    accounts,
                    notAccounts);
        }
    }
}
