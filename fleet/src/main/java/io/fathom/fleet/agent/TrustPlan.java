// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.model.fleet.FleetPeer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Which ConfigMaps with roots have to be written and which have to go, by the rules of [PeerPlan]: what people wrote
/// for a cluster wins, and what nobody has said to be gone stays. Pure.
///
/// @param puts that are missing or different
/// @param removals of ours
record TrustPlan(List<TrustManifest> puts, List<ExistingTrust> removals) {
    static final TrustPlan NOTHING = new TrustPlan(List.of(), List.of());

    TrustPlan {
        puts = List.copyOf(puts);
        removals = List.copyOf(removals);
    }

    /// What should be there, whatever is. Not for our own trust domain: nobody else has a say in that.
    static List<TrustManifest> wanted(String namespace, String ownDomain, Collection<FleetPeer> peers) {
        var wanted = new ArrayList<TrustManifest>();
        var names = new HashSet<String>();
        for (var peer : peers) {
            if (peer.fact().roots().isEmpty() || peer.fact().trustDomain().equals(ownDomain)) {
                continue;
            }
            var manifest = TrustManifest.of(namespace, peer);
            if (names.add(manifest.name())) { // names of clusters may differ by dots alone
                wanted.add(manifest);
            }
        }
        return wanted;
    }

    /// @param withdrawn UIDs of clusters that left, or do not share with this one
    static TrustPlan of(Collection<TrustManifest> wanted, Set<String> withdrawn, Collection<ExistingTrust> existing) {
        var manual = existing.stream()
                .filter(bundle -> !bundle.isOurs())
                .flatMap(bundle -> List.of(bundle.cluster(), bundle.name()).stream())
                .collect(Collectors.toSet());
        var puts = wanted.stream()
                .filter(bundle -> !manual.contains(bundle.trust().cluster()) && !manual.contains(bundle.name()))
                .toList();
        var names = puts.stream().map(TrustManifest::name).collect(Collectors.toSet());
        var removals = existing.stream()
                .filter(ExistingTrust::isOurs)
                .filter(bundle -> !names.contains(bundle.name()))
                .filter(bundle ->
                        withdrawn.contains(bundle.origin().orElseThrow()) || manual.contains(bundle.cluster()))
                .toList();
        return new TrustPlan(
                puts.stream()
                        .filter(bundle -> existing.stream().noneMatch(there -> isThere(there, bundle)))
                        .toList(),
                removals);
    }

    private static boolean isThere(ExistingTrust there, TrustManifest wanted) {
        return there.name().equals(wanted.name()) && there.isAs(wanted);
    }

    /// For a cluster that has left: everything of ours goes.
    static TrustPlan farewell(Collection<ExistingTrust> existing) {
        return new TrustPlan(
                List.of(), existing.stream().filter(ExistingTrust::isOurs).toList());
    }
}
