// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.pods;

import io.fathom.wire.kube.core.PodManifest;

/// What happened to a pod of this node. Two pods of one name with different UIDs are different pods.
public sealed interface PodChange {
    /// Seen for the first time.
    record Came(PodManifest pod) implements PodChange {}

    /// It, or its namespace, has changed.
    record Changed(PodManifest pod) implements PodChange {}

    /// As it was last seen.
    record Gone(PodManifest last) implements PodChange {}
}
