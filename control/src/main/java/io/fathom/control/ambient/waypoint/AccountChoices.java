// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.control.ambient.input.Age;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The waypoints that a namespace has for single service accounts, for one kind of traffic.
public record AccountChoices(Map<String, Choice> byAccount) {
    static final AccountChoices NONE = new AccountChoices(Map.of());

    /// A waypoint for an account, and whether traffic can go through it. Of several the smallest counts: one that is
    /// ready before one that is not, then the oldest.
    ///
    /// @param attachment bound or refused
    record Choice(Age age, Attachment attachment) implements Comparable<Choice> {
        private static final Comparator<Choice> BEST_FIRST = Comparator.<Choice, Boolean>comparing(
                        choice -> choice.attachment().bound().isEmpty())
                .thenComparing(Choice::age);

        @Override
        public int compareTo(Choice other) {
            return BEST_FIRST.compare(this, other);
        }
    }

    public AccountChoices {
        byAccount = Map.copyOf(byAccount);
    }

    public boolean isEmpty() {
        return byAccount.isEmpty();
    }

    /// What stands in front of an object with these accounts that does not ask itself. A waypoint that nothing can go
    /// through leaves the place to that of the namespace: rather another's policies than none.
    public Attachment over(Attachment ofNamespace, Set<String> accounts) {
        if (isEmpty()) {
            return ofNamespace;
        }
        return accounts.stream()
                .flatMap(account -> Optional.ofNullable(byAccount.get(account)).stream())
                .min(Comparator.naturalOrder())
                .map(Choice::attachment)
                .filter(own -> own.bound().isPresent() || ofNamespace.bound().isEmpty())
                .orElse(ofNamespace);
    }
}
