// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.wire.kube.manifest.ObjectKey;

/// How one object is found from another.
final class Keys {
    private Keys() {}

    /// The Namespace that an object lives in.
    static ObjectKey namespaceOf(ObjectKey object) {
        return new ObjectKey(object.cluster(), "", object.namespace());
    }

    /// An object of the same cluster without a namespace.
    static ObjectKey clusterWide(ObjectKey object, String name) {
        return new ObjectKey(object.cluster(), "", name);
    }
}
