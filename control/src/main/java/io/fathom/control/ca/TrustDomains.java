// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.model.mesh.Identity;
import java.util.Set;

/// The trust domain that identities are issued in, and older or other names of it that are still honoured.
public record TrustDomains(String own, Set<String> aliases) {
    public TrustDomains {
        aliases = Set.copyOf(aliases);
    }

    public static TrustDomains of(String own) {
        return new TrustDomains(own, Set.of());
    }

    public boolean include(Identity identity) {
        return own.equals(identity.trustDomain()) || aliases.contains(identity.trustDomain());
    }
}
