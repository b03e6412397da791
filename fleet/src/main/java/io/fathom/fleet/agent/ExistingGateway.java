// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import java.util.Map;
import java.util.Optional;

/// A Gateway of class `istio-remote` that is there.
///
/// @param cluster that it stands for, as its label or else its name says; empty if neither does
/// @param origin UID of the cluster that we wrote it for; nothing if it is not ours
record ExistingGateway(String namespace, String name, String cluster, Optional<String> origin) {
    static ExistingGateway of(String namespace, String name, Map<String, String> labels) {
        var isOurs = PeerManifest.MANAGER.equals(labels.get(PeerManifest.MANAGED_BY));
        var byName = name.startsWith(PeerManifest.PREFIX) ? name.substring(PeerManifest.PREFIX.length()) : "";
        return new ExistingGateway(
                namespace,
                name,
                labels.getOrDefault(PeerManifest.CLUSTER, byName),
                isOurs ? Optional.ofNullable(labels.get(PeerManifest.ORIGIN)) : Optional.empty());
    }

    boolean isOurs() {
        return origin.isPresent();
    }
}
