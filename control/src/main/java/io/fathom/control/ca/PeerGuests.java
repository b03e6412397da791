// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.model.mesh.Identity;
import io.fathom.model.peering.ControlPlanes;
import io.fathom.wire.pki.TrustPool;
import io.fathom.wire.xds.store.XdsType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// What identities of other trust domains may do at our ports: their control planes may ask what we share, and that is
/// all. Any thread.
public final class PeerGuests {
    private static final Set<XdsType> SHARED =
            Set.of(XdsType.PEER_CLUSTER, XdsType.PEER_SERVICE, XdsType.PEER_ENDPOINTS, XdsType.HEALTH);

    private final Supplier<TrustDomains> own;
    private final Supplier<Optional<TrustPool>> trust;
    private final String namespace;

    /// @param trust whose roots vouch for which trust domain
    /// @param namespace of control planes
    public PeerGuests(Supplier<TrustDomains> own, Supplier<Optional<TrustPool>> trust, String namespace) {
        this.own = own;
        this.trust = trust;
        this.namespace = namespace;
    }

    /// Whether an identity counts, once its certificate is verified: ours, or the control plane of a domain that is
    /// trusted now.
    public boolean includes(Identity identity) {
        return own.get().include(identity) || isGuest(identity);
    }

    private boolean isGuest(Identity identity) {
        return identity.namespace().equals(namespace)
                && identity.serviceAccount().equals(ControlPlanes.ACCOUNT)
                && trust.get()
                        .flatMap(TrustPool::domains)
                        .map(Map::keySet)
                        .filter(domains -> domains.contains(identity.trustDomain()))
                        .isPresent();
    }

    /// Whether all of a caller's identities are somebody else's.
    boolean areGuests(List<Identity> identities) {
        return identities.stream().noneMatch(own.get()::include);
    }

    /// Whether a guest may have resources of a type.
    static boolean mayHave(XdsType type) {
        return SHARED.contains(type);
    }
}
