// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.netns;

import io.fathom.base.posix.NetworkNamespace;
import io.fathom.model.mesh.Ip;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Where the network namespaces of running pods are found when nobody hands them over.
public interface NamespaceFinder {
    /// The namespaces of those pods that have one. They belong to the caller.
    ///
    /// @param pods UIDs, with the addresses that the pods have
    Map<String, NetworkNamespace> find(Map<String, Set<Ip>> pods);

    default Optional<NetworkNamespace> find(String uid, Set<Ip> addresses) {
        return Optional.ofNullable(find(Map.of(uid, addresses)).get(uid));
    }
}
