// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.trust;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// All trust domains whose identities count, each with the roots that may vouch for them. A domain that is not in it is
/// nobody's.
public record TrustMap(SortedMap<String, List<TrustRoot>> domains) {
    public static final TrustMap NOTHING = new TrustMap(new TreeMap<>());

    public TrustMap {
        var copy = new TreeMap<String, List<TrustRoot>>();
        domains.forEach((domain, roots) -> copy.put(domain, List.copyOf(new TreeSet<>(roots))));
        domains = Collections.unmodifiableSortedMap(copy);
    }

    /// None for a domain that is not known.
    public List<TrustRoot> roots(String domain) {
        return domains.getOrDefault(domain, List.of());
    }

    /// Whether somebody who trusts by this trusts less than somebody who trusts by `before` in any domain.
    public boolean revokes(TrustMap before) {
        return before.domains.entrySet().stream()
                .anyMatch(old -> !roots(old.getKey()).containsAll(old.getValue()));
    }
}
