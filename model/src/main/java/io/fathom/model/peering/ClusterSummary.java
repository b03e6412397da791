// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.peering;

import java.util.Set;

/// What a cluster says about itself as a whole.
///
/// @param network that it is on; empty where that has no name
/// @param issuers the keys that sign its certificates, each as the SHA-256 of its SubjectPublicKeyInfo in hexadecimal;
/// empty where it does not say
public record ClusterSummary(String cluster, String network, String trustDomain, Set<String> issuers) {
    public ClusterSummary {
        issuers = Set.copyOf(issuers);
    }

    /// Of one that does not tell who signs for it.
    public ClusterSummary(String cluster, String network, String trustDomain) {
        this(cluster, network, trustDomain, Set.of());
    }
}
