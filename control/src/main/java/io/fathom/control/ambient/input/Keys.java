// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import io.fathom.wire.kube.manifest.ObjectKey;

/// How one object is found from another.
public final class Keys {
    private Keys() {}

    /// The Namespace that an object lives in.
    public static ObjectKey namespaceOf(ObjectKey object) {
        return new ObjectKey(object.cluster(), "", object.namespace());
    }

    /// An object of the same cluster without a namespace.
    public static ObjectKey clusterWide(ObjectKey object, String name) {
        return new ObjectKey(object.cluster(), "", name);
    }
}
