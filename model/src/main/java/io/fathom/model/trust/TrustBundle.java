// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.trust;

import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// The roots that may vouch for identities of one trust domain: several while one takes over from another. Equal if
/// they are the same ones, in whatever order they were given.
///
/// @param roots at least one, sorted by fingerprint
public record TrustBundle(String trustDomain, List<TrustRoot> roots) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,255}");

    public TrustBundle {
        if (!isName(trustDomain)) {
            throw new IllegalArgumentException("'" + trustDomain + "' is no name of a trust domain");
        }
        if (roots.isEmpty()) {
            throw new IllegalArgumentException("a trust domain needs a root");
        }
        roots = List.copyOf(new TreeSet<>(roots));
    }

    public static TrustBundle of(String trustDomain, Collection<TrustRoot> roots) {
        return new TrustBundle(trustDomain, List.copyOf(roots));
    }

    /// Whether a text can be the name of a trust domain.
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }
}
