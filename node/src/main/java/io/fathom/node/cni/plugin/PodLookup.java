// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.PodManifest;

/// Where the plugin learns what a pod is like.
interface PodLookup extends AutoCloseable {
    /// A pod and the namespace it is in.
    record Found(PodManifest pod, NamespaceManifest namespace) {}

    /// Asks once.
    ///
    /// @throws ProblemException when there is no answer, or no such pod
    Found find(PodArgs pod);

    @Override
    void close();
}
