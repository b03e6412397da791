// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.model.trust.PeerTrust;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Tree;
import io.fathom.wire.kube.trust.TrustBundleObject;

/// A ConfigMap with the roots of another cluster, as it is or as we write it.
///
/// @param owner who wrote it; empty if it does not say
record TrustShape(String namespace, String name, String owner, PeerTrust trust) {
    /// What we write.
    static TrustShape of(String namespace, PeerTrust trust) {
        return new TrustShape(namespace, TrustBundleObject.name(trust.cluster()), PeerShape.OWNED, trust);
    }

    /// What is there.
    ///
    /// @throws io.fathom.wire.kube.tree.MisreadException if it is not sound
    static TrustShape read(Tree object) {
        var metadata = Field.root(object).at("metadata");
        return new TrustShape(
                metadata.at("namespace").text("default"),
                metadata.at("name").text(),
                TrustBundleObject.owner(object),
                TrustBundleObject.read(object));
    }

    boolean isOwned() {
        return owner.equals(PeerShape.OWNED);
    }

    String path() {
        return namespace + "/" + name;
    }

    Tree tree() {
        return TrustBundleObject.tree(namespace, trust, owner);
    }
}
