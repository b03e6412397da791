// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.wire.kube.tree.Tree;

/// An object to apply.
record PlannedObject(Kinds kind, String namespace, String name, Tree tree) {
    ObjectName id() {
        return new ObjectName(kind, namespace, name);
    }

    /// Which object it is.
    record ObjectName(Kinds kind, String namespace, String name) {
        @Override
        public String toString() {
            return kind.kind() + " " + namespace + "/" + name;
        }
    }
}
