// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.wire.kube.api.KubeObject;

/// Something to be looked at: a Gateway, or a class when there is no namespace.
record Target(String namespace, String name) {
    static Target of(KubeObject object) {
        return new Target(object.namespace(), object.name());
    }

    static Target ofClass(String name) {
        return new Target("", name);
    }

    boolean isClass() {
        return namespace.isEmpty();
    }

    @Override
    public String toString() {
        return isClass() ? name : namespace + "/" + name;
    }
}
