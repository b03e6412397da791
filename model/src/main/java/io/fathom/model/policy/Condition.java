// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import io.fathom.model.mesh.IpBlock;
import io.fathom.model.policy.Authorization.ServiceAccount;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/// One field of a match, made ready to be asked: what it wants of a connection, or does not want.
sealed interface Condition {
    boolean holds(Attempt attempt);

    record Namespace(TextSet wanted) implements Condition {
        @Override
        public boolean holds(Attempt attempt) {
            var source = attempt.source();
            return wanted.matches(source.isPresent() ? source.get().namespace() : "");
        }
    }

    /// Without an identity there is no principal, so neither this nor its opposite has anything to match.
    record Principal(TextSet wanted) implements Condition {
        @Override
        public boolean holds(Attempt attempt) {
            var source = attempt.source();
            return source.isPresent() && wanted.matches(source.get().principal());
        }
    }

    /// Trust domains play no part.
    record Account(Set<ServiceAccount> wanted) implements Condition {
        @Override
        public boolean holds(Attempt attempt) {
            var source = attempt.source();
            return source.isPresent()
                    && wanted.contains(new ServiceAccount(
                            source.get().namespace(), source.get().serviceAccount()));
        }
    }

    record SourceIp(IpSet wanted) implements Condition {
        @Override
        public boolean holds(Attempt attempt) {
            return wanted.contains(attempt.sourceIp());
        }
    }

    record DestinationIp(IpSet wanted) implements Condition {
        @Override
        public boolean holds(Attempt attempt) {
            return wanted.contains(attempt.destination().ip());
        }
    }

    record DestinationPort(Set<Integer> wanted) implements Condition {
        @Override
        public boolean holds(Attempt attempt) {
            return wanted.contains(attempt.destination().port());
        }
    }

    record Not(Condition unwanted) implements Condition {
        @Override
        public boolean holds(Attempt attempt) {
            return !unwanted.holds(attempt);
        }
    }

    /// All of them must hold; none at all means that the match never does. The cheapest come first.
    static Condition[] of(Authorization.Match match) {
        var conditions = new ArrayList<Condition>();
        add(
                conditions,
                match.destinationPorts(),
                match.notDestinationPorts(),
                ports -> new DestinationPort(Set.copyOf(ports)));
        add(
                conditions,
                match.serviceAccounts(),
                match.notServiceAccounts(),
                accounts -> new Account(Set.copyOf(accounts)));
        add(conditions, match.namespaces(), match.notNamespaces(), names -> new Namespace(TextSet.of(names)));
        add(conditions, match.sourceIps(), match.notSourceIps(), (List<IpBlock> ips) -> new SourceIp(IpSet.of(ips)));
        add(
                conditions,
                match.destinationIps(),
                match.notDestinationIps(),
                (List<IpBlock> ips) -> new DestinationIp(IpSet.of(ips)));
        add(conditions, match.principals(), match.notPrincipals(), names -> new Principal(TextSet.of(names)));
        return conditions.toArray(Condition[]::new);
    }

    private static <T> void add(
            List<Condition> conditions, List<T> wanted, List<T> unwanted, Function<List<T>, Condition> condition) {
        if (!wanted.isEmpty()) {
            conditions.add(condition.apply(wanted));
        }
        if (!unwanted.isEmpty()) {
            conditions.add(new Not(condition.apply(unwanted)));
        }
    }
}
