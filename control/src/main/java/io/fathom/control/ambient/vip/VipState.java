// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.vip;

import io.fathom.base.flow.PersistentMap;
import io.fathom.control.ambient.input.Age;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// All that [VipPlanner] remembers between two rounds. Immutable.
///
/// @param owners who holds each automatic address
/// @param reserved who wrote each single address into a spec
/// @param blocks the blocks in specs that reach into a pool
/// @param entries what each entry holds and wrote
/// @param starved entries that wait for an address
record VipState(
        PersistentMap<Ip, VipOwner> owners,
        PersistentMap<Ip, Set<ObjectKey>> reserved,
        PersistentMap<ObjectKey, List<IpBlock>> blocks,
        PersistentMap<ObjectKey, VipEntry> entries,
        PersistentMap<ObjectKey, Age> starved,
        VipPool v4,
        VipPool v6) {

    record VipOwner(Age age, String host) {}

    /// @param written the single addresses in its spec
    /// @param hosts the automatic addresses of each host, in the order of the spec
    record VipEntry(List<Ip> written, Map<String, List<Ip>> hosts) {
        static final VipEntry EMPTY = new VipEntry(List.of(), Map.of());
    }

    static VipState of(IpBlock v4, IpBlock v6) {
        return new VipState(
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                VipPool.of(v4),
                VipPool.of(v6));
    }
}
