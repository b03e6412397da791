// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.fleet.store.FileRecord;
import io.fathom.model.fleet.ClusterLabels;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.fleet.FleetCodec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A cluster of the fleet, or one that was. Immutable.
///
/// @param handle its number; never given to another
/// @param bounds what its facts may say
/// @param key fingerprint of its agent's key
/// @param gateway what it last said and was accepted; nothing before
/// @param version of what it last said
public record Registration(
        String uid,
        String name,
        int handle,
        Bounds bounds,
        String key,
        Instant joined,
        ClusterStanding standing,
        Optional<GatewayFact> gateway,
        FactVersion version) {
    /// Whether it is a member.
    public enum ClusterStanding {
        MEMBER,
        /// Kept for ever, so that whoever was away meanwhile hears of it.
        LEFT
    }

    /// What facts of a cluster may say, and what its operators say of it.
    ///
    /// @param networks none until the first fact binds one
    /// @param trustDomains none until the first fact binds one
    /// @param labels as in its token; no fact changes them
    public record Bounds(List<String> networks, List<String> trustDomains, ClusterLabels labels) {
        public Bounds {
            networks = List.copyOf(networks);
            trustDomains = List.copyOf(trustDomains);
        }

        public Bounds(List<String> networks, List<String> trustDomains) {
            this(networks, trustDomains, ClusterLabels.NONE);
        }

        /// Whether the next fact will bind something.
        boolean isOpen() {
            return networks.isEmpty() || trustDomains.isEmpty();
        }

        boolean allowsNetwork(String network) {
            return networks.isEmpty() || networks.contains(network);
        }

        boolean allowsTrustDomain(String trustDomain) {
            return trustDomains.isEmpty() || trustDomains.contains(trustDomain);
        }
    }

    /// Whether another one says the same, perhaps in another version: that alone is not worth a write.
    boolean isSame(Registration other) {
        return equals(other.heard(version));
    }

    public boolean isMember() {
        return standing == ClusterStanding.MEMBER;
    }

    /// The roots that it told for a trust domain and that were accepted; none if it did not.
    List<TrustRoot> roots(String trustDomain) {
        return gateway.filter(fact -> fact.trustDomain().equals(trustDomain))
                .map(GatewayFact::roots)
                .orElse(List.of());
    }

    /// The keys that it said sign for it; none if it did not.
    Set<String> issuers() {
        return gateway.map(GatewayFact::issuers).orElse(Set.of());
    }

    /// With what it says now, which also binds what was not bound before.
    Registration saying(GatewayFact fact, FactVersion said) {
        var bound = new Bounds(
                bounds.networks().isEmpty() ? List.of(fact.network()) : bounds.networks(),
                bounds.trustDomains().isEmpty() ? List.of(fact.trustDomain()) : bounds.trustDomains(),
                bounds.labels());
        return new Registration(uid, name, handle, bound, key, joined, standing, Optional.of(fact), said);
    }

    /// As before, but heard of in another version.
    Registration heard(FactVersion said) {
        return new Registration(uid, name, handle, bounds, key, joined, standing, gateway, said);
    }

    Registration left() {
        return new Registration(uid, name, handle, bounds, key, joined, ClusterStanding.LEFT, gateway, version);
    }

    FileRecord record() {
        var record = FileRecord.builder()
                .add("uid", uid)
                .add("name", name)
                .add("handle", Integer.toString(handle))
                .addAll("network", bounds.networks())
                .addAll("trust-domain", bounds.trustDomains())
                .addAll("label", bounds.labels().texts())
                .add("key", key)
                .add("joined", joined.toString())
                .add("standing", standing.name())
                .add("incarnation", Long.toString(version.incarnation()))
                .add("sequence", Long.toString(version.sequence()));
        gateway.ifPresent(fact -> record.add("gateway", FleetCodec.encode(fact)));
        return record.build();
    }

    static Registration of(FileRecord record) {
        return new Registration(
                record.required("uid"),
                record.required("name"),
                Integer.parseInt(record.required("handle")),
                new Bounds(
                        record.texts("network"),
                        record.texts("trust-domain"),
                        ClusterLabels.parse(record.texts("label"))),
                record.required("key"),
                Instant.parse(record.required("joined")),
                ClusterStanding.valueOf(record.required("standing")),
                record.bytes("gateway").map(FleetCodec::fact),
                new FactVersion(
                        Long.parseLong(record.required("incarnation")), Long.parseLong(record.required("sequence"))));
    }
}
