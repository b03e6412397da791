// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.model.trust.PeerTrust;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import io.fathom.wire.kube.trust.TrustBundleObject;
import java.util.Optional;

/// A ConfigMap with the roots of a cluster that is there.
///
/// @param cluster whose roots they are, as its label says; empty if it does not
/// @param origin UID of the cluster that we wrote it for; nothing if it is not ours
/// @param trust what it says; nothing if it makes no sense
record ExistingTrust(
        String namespace, String name, String cluster, Optional<String> origin, Optional<PeerTrust> trust) {
    /// @throws MisreadException if it is no object
    static ExistingTrust of(Tree object) {
        var metadata = Field.root(object).at("metadata");
        var labels = metadata.at("labels").textMap();
        return new ExistingTrust(
                metadata.at("namespace").text(),
                metadata.at("name").text(),
                labels.getOrDefault(TrustBundleObject.CLUSTER, ""),
                PeerManifest.MANAGER.equals(labels.get(PeerManifest.MANAGED_BY))
                        ? Optional.ofNullable(labels.get(PeerManifest.ORIGIN))
                        : Optional.empty(),
                trust(object));
    }

    private static Optional<PeerTrust> trust(Tree object) {
        try {
            return Optional.of(TrustBundleObject.read(object));
        } catch (MisreadException _) {
            return Optional.empty();
        }
    }

    boolean isOurs() {
        return origin.isPresent();
    }

    /// Whether it is what we would write.
    boolean isAs(TrustManifest wanted) {
        return origin.equals(Optional.of(wanted.origin())) && trust.equals(Optional.of(wanted.trust()));
    }
}
