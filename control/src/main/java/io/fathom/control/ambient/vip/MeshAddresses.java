// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.vip;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Folding;
import io.fathom.base.flow.PersistentMap;
import io.fathom.base.flow.Table;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Proposes automatic addresses for names that are the same in all clusters. Nobody writes these down, so they follow
/// from the names alone: every control plane, and one that starts anew, proposes the same, whatever the order in which
/// it heard of the names. [VipPlanner] has the last word, since users may have written such an address somewhere.
public final class MeshAddresses {
    private record Choices(AddressChoice v4, AddressChoice v6) {
        List<Ip> of(String name) {
            return Stream.concat(v4.of(name).stream(), v6.of(name).stream()).toList();
        }
    }

    private MeshAddresses() {}

    /// For each row one address of either family, as far as there are any.
    ///
    /// @param names host names
    public static <V> Table<String, List<Ip>> table(Flow flow, Table<String, V> names, IpBlock v4, IpBlock v6) {
        var none = new Choices(AddressChoice.of(v4), AddressChoice.of(v6));
        return flow.fold(
                "mesh-names/addresses",
                names,
                none,
                (state, changed, known, rows) -> fold(state, changed, known, rows));
    }

    private static <V> Folding.Result<String, Choices, List<Ip>> fold(
            Choices state, Set<String> changed, PersistentMap<String, V> known, PersistentMap<String, List<Ip>> rows) {
        var come = new TreeSet<String>();
        var gone = new TreeSet<String>();
        for (var name : changed) {
            if (!known.containsKey(name)) {
                gone.add(name);
            } else if (!rows.containsKey(name)) {
                come.add(name);
            }
        }
        var moved = new TreeSet<String>();
        var next = new Choices(
                state.v4().without(gone, moved).with(come, moved),
                state.v6().without(gone, moved).with(come, moved));
        var result = new HashMap<String, Optional<List<Ip>>>();
        gone.forEach(name -> result.put(name, Optional.empty()));
        come.forEach(name -> result.put(name, Optional.of(next.of(name))));
        moved.stream().filter(known::containsKey).forEach(name -> result.put(name, Optional.of(next.of(name))));
        return new Folding.Result<>(next, result);
    }
}
