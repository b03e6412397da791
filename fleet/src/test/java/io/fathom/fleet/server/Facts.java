// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.Audience;
import io.fathom.model.fleet.ClusterLabels;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.GatewayAddress;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.TrustRoots;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Gateways and clusters for tests.
final class Facts {
    static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z");

    private static final KeyPair KEYS = KeyAlgorithm.P256.generate();

    private Facts() {}

    static GatewayFact gateway(String cluster, String host) {
        return gateway("istio-eastwest/istio-eastwest", "net-" + cluster, "cluster.local", host);
    }

    static GatewayFact gateway(String id, String network, String trustDomain, String host) {
        return new GatewayFact(
                id,
                network,
                "istio-eastwest",
                trustDomain,
                List.of(new GatewayAddress(GatewayAddress.Kind.LB_IP, host, 15008, 15012)),
                GatewayFact.Place.UNKNOWN,
                GatewayFact.GatewayState.ACTIVE,
                new Audience.Everybody());
    }

    /// A root as clusters have it.
    static TrustRoot root() {
        return TrustRoots.of(RootCertificate.create(KEYS, "test", NOW, Duration.ofDays(1)));
    }

    static GatewayFact to(GatewayFact fact, String audience) {
        return new GatewayFact(
                fact.id(),
                fact.network(),
                fact.serviceAccount(),
                fact.trustDomain(),
                fact.candidates(),
                fact.place(),
                fact.state(),
                Audience.parse(audience));
    }

    static Registration cluster(String name, Optional<GatewayFact> gateway) {
        return cluster(name, gateway, ClusterLabels.NONE);
    }

    static Registration cluster(String name, Optional<GatewayFact> gateway, ClusterLabels labels) {
        return new Registration(
                "uid-" + name,
                name,
                1,
                new Registration.Bounds(List.of("net-" + name), List.of("cluster.local"), labels),
                "key-" + name,
                NOW,
                Registration.ClusterStanding.MEMBER,
                gateway,
                FactVersion.NONE);
    }
}
