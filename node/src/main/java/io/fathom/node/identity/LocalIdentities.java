// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.MeshDelta;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Which identities run on this node, worked out change by change. One thread updates, any thread asks.
final class LocalIdentities {
    private final Optional<String> node;
    private final Map<Identity, Set<String>> uids = new ConcurrentHashMap<>();
    private final Map<String, Identity> byUid = new HashMap<>();

    /// What a change means for certificates.
    ///
    /// @param needed a workload came or changed that speaks with a certificate
    /// @param gone the last workload has left
    record IdentityChange(Set<Identity> needed, List<Identity> gone) {}

    /// None yet.
    ///
    /// @param node all workloads are local without one
    LocalIdentities(Optional<String> node) {
        this.node = node;
    }

    boolean contains(Identity identity) {
        return uids.containsKey(identity);
    }

    /// Only what is left at the end of the change counts: a workload that is removed and put again has not left.
    IdentityChange update(MeshDelta delta) {
        var touched = new LinkedHashSet<Identity>();
        var needed = new LinkedHashSet<Identity>();
        for (var name : delta.removedAddresses()) {
            leave(name, touched);
        }
        for (var address : delta.addresses()) {
            if (address instanceof Workload workload) {
                leave(workload.uid(), touched);
                arrive(workload, needed);
            }
        }
        var gone = touched.stream()
                .filter(identity -> uids.getOrDefault(identity, Set.of()).isEmpty())
                .toList();
        gone.forEach(uids::remove);
        return new IdentityChange(needed, gone);
    }

    private void arrive(Workload workload, Set<Identity> needed) {
        var identity = workload.identity();
        if (identity.isEmpty() || (node.isPresent() && !node.get().equals(workload.node()))) {
            return;
        }
        byUid.put(workload.uid(), identity.get());
        uids.computeIfAbsent(identity.get(), _ -> new HashSet<>()).add(workload.uid());
        if (workload.tunnelProtocol() == Workload.TunnelProtocol.HBONE
                || workload.nativeTunnel() == Workload.NativeTunnel.YES) {
            needed.add(identity.get());
        }
    }

    private void leave(String uid, Set<Identity> touched) {
        var identity = byUid.remove(uid);
        if (identity != null) {
            uids.getOrDefault(identity, new HashSet<>()).remove(uid);
            touched.add(identity);
        }
    }
}
