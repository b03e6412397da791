// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.trust.PeerTrust;
import io.fathom.model.trust.TrustBundle;
import io.fathom.wire.kube.tree.Tree;
import io.fathom.wire.kube.trust.TrustBundleObject;
import java.util.Map;

/// The ConfigMap with the roots of another cluster. Pure.
///
/// @param namespace of the control plane
/// @param origin UID of that cluster
record TrustManifest(String namespace, String origin, PeerTrust trust) {
    /// @param peer that told at least one root
    static TrustManifest of(String namespace, FleetPeer peer) {
        var bundle = TrustBundle.of(peer.fact().trustDomain(), peer.fact().roots());
        return new TrustManifest(
                namespace, peer.uid(), new PeerTrust(peer.cluster(), bundle, PeerTrust.TrustConsent.OWN_DOMAIN));
    }

    String name() {
        return TrustBundleObject.name(trust.cluster());
    }

    Tree content() {
        return TrustBundleObject.tree(namespace, trust, PeerManifest.MANAGER, Map.of(PeerManifest.ORIGIN, origin));
    }
}
