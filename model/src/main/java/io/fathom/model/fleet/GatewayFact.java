// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import io.fathom.model.trust.TrustRoot;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// What a cluster says of its east-west gateway. It does not say whose it is: the server knows that from the
/// certificate.
///
/// @param id `namespace/name` of the Gateway
/// @param serviceAccount that the gateway proves to be, in its namespace
/// @param candidates where it can be reached, the best one first
/// @param roots that may vouch for the trust domain, sorted by fingerprint; none if the cluster does not say
/// @param issuers the keys that sign for the gateway, as in [io.fathom.model.peering.ClusterSummary]; none if the
///     cluster does not say
public record GatewayFact(
        String id,
        String network,
        String serviceAccount,
        String trustDomain,
        List<GatewayAddress> candidates,
        Place place,
        GatewayState state,
        Audience audience,
        List<TrustRoot> roots,
        Set<String> issuers) {
    /// Where the cluster is; empty texts where nobody says.
    public record Place(String region, String zone) {
        public static final Place UNKNOWN = new Place("", "");
    }

    /// What the cluster says about using the gateway.
    public enum GatewayState {
        ACTIVE,
        DRAINING,
        /// The cluster has no such gateway at the moment. It is still a member.
        OFFLINE
    }

    public GatewayFact {
        candidates = List.copyOf(candidates);
        roots = List.copyOf(new TreeSet<>(roots));
        issuers = Set.copyOf(issuers);
    }

    /// Of a cluster that says nothing of its roots and who signs for it.
    public GatewayFact(
            String id,
            String network,
            String serviceAccount,
            String trustDomain,
            List<GatewayAddress> candidates,
            Place place,
            GatewayState state,
            Audience audience) {
        this(id, network, serviceAccount, trustDomain, candidates, place, state, audience, List.of(), Set.of());
    }

    /// The namespace of the Gateway, or nothing if the id has none.
    public String namespace() {
        return id.substring(0, Math.max(0, id.indexOf('/')));
    }

    /// The same in another state.
    public GatewayFact in(GatewayState other) {
        return with(other, roots, issuers);
    }

    /// The same with other roots.
    public GatewayFact vouchedFor(List<TrustRoot> others) {
        return with(state, others, issuers);
    }

    /// The same, signed for by other keys.
    public GatewayFact signedBy(Set<String> keys) {
        return with(state, roots, keys);
    }

    private GatewayFact with(GatewayState newState, List<TrustRoot> newRoots, Set<String> newIssuers) {
        return new GatewayFact(
                id, network, serviceAccount, trustDomain, candidates, place, newState, audience, newRoots, newIssuers);
    }
}
