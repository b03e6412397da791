// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.base.lang.Problem;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.wire.zds.PodInfo;
import java.util.Optional;

/// The node proxies that serve pods. Blocks; for any thread.
public interface Proxies {
    /// Has a proxy serve the pod; why not, or empty.
    Optional<Problem> add(PodInfo pod, NetworkNamespace namespace);

    void delete(String uid);
}
