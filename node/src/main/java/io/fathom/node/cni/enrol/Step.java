// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

/// How far a pod has come on its way into the mesh. Each step builds on those before it.
public enum Step {
    /// Its network namespace is held open.
    NAMESPACE,
    /// Its traffic is redirected.
    RULES,
    /// A node proxy serves it.
    PROXY,
    /// Probes of its node pass.
    PROBES,
    /// Its annotation says so.
    NOTED;

    public boolean includes(Step other) {
        return compareTo(other) >= 0;
    }
}
