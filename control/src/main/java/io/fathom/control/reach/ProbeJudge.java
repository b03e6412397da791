// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.reach;

import io.fathom.model.mesh.Identity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Decides who it was that answered at the address of a gateway. All clusters of a mesh may use the same account for
/// their gateways, so the identity alone proves little: an address may lead back to ourselves, or to a cluster that
/// took it over. The key that signed the certificate tells, where each cluster has one of its own. Pure.
///
/// @param home our own cluster
/// @param homeIssuers the keys that sign for it
/// @param homeAddresses where our own gateways are
/// @param issuers the keys that other clusters say sign for them, by cluster
public record ProbeJudge(
        String home, Set<String> homeIssuers, Set<String> homeAddresses, Map<String, Set<String>> issuers) {
    public ProbeJudge {
        homeIssuers = Set.copyOf(homeIssuers);
        homeAddresses = Set.copyOf(homeAddresses);
        issuers = Map.copyOf(issuers);
    }

    /// Somebody who showed a chain that leads to our roots.
    ///
    /// @param shown their identities
    /// @param issuer the key that signed for them, where it is known
    public record Answer(List<Identity> shown, Optional<String> issuer, Duration roundTrip) {
        public Answer {
            shown = List.copyOf(shown);
        }

        String seen() {
            return shown.isEmpty() ? "nobody of a mesh" : shown.getFirst().uri();
        }
    }

    /// Whether it is the gateway of that cluster.
    ///
    /// @param cluster that should be there; empty where the Gateway does not say
    /// @param expected who should be there
    /// @param address that was dialled, without the port
    public ProbeFinding judge(String cluster, Identity expected, String address, Answer answer) {
        if (homeAddresses.contains(address)) {
            return failed(
                    answer,
                    "gateway-is-ourselves",
                    "the address is that of our own cluster's gateway, " + home + ", not of " + name(cluster));
        }
        if (!answer.shown().contains(expected)) {
            return failed(
                    answer,
                    "gateway-wrong-identity",
                    "what answers proves to be " + answer.seen() + ", not " + expected.uri());
        }
        if (answer.issuer().isEmpty()) {
            return unproven(answer, "nobody knows the key that signed for it");
        }
        return judge(cluster, answer, answer.issuer().get());
    }

    private ProbeFinding judge(String cluster, Answer answer, String issuer) {
        var claimed = issuers.getOrDefault(cluster, Set.of());
        var ours = homeIssuers.contains(issuer);
        var another = issuers.entrySet().stream()
                .filter(other ->
                        !other.getKey().equals(cluster) && other.getValue().contains(issuer))
                .map(Map.Entry::getKey)
                .sorted()
                .findFirst();
        if (claimed.contains(issuer)) {
            if (!ours && another.isEmpty()) {
                return new ProbeFinding.Proven(answer.seen(), answer.roundTrip());
            }
            return unproven(
                    answer, "the key that signed for it also signs for " + (ours ? home : another.orElseThrow()));
        }
        if (claimed.isEmpty()) {
            return unproven(answer, name(cluster) + " does not say which keys sign for it");
        }
        if (ours) {
            return failed(
                    answer,
                    "gateway-is-ourselves",
                    "what answers is a gateway of our own cluster, " + home + ", not of " + name(cluster));
        }
        if (another.isPresent()) {
            return failed(
                    answer,
                    "gateway-is-another-cluster",
                    "what answers is a gateway of cluster " + another.get() + ", not of " + name(cluster));
        }
        return unproven(answer, "the key that signed for it is none of those of " + name(cluster));
    }

    private static String name(String cluster) {
        return cluster.isEmpty() ? "the cluster there" : "cluster " + cluster;
    }

    private static ProbeFinding unproven(Answer answer, String reason) {
        return new ProbeFinding.Unproven(answer.seen(), answer.roundTrip(), "gateway-not-proven", reason);
    }

    private static ProbeFinding failed(Answer answer, String code, String reason) {
        return new ProbeFinding.Failed(answer.seen(), code, reason);
    }
}
