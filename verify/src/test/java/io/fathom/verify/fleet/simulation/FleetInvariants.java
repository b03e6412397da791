// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.model.fleet.Interest;
import io.fathom.model.peering.ServiceSummary;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// What has to hold in a fleet: at each moment, and when nothing is under way.
final class FleetInvariants {
    private final Map<String, SimulatedCluster> clusters;

    FleetInvariants(Map<String, SimulatedCluster> clusters) {
        this.clusters = clusters;
    }

    private static void require(boolean holds, Supplier<String> what) {
        if (!holds) {
            throw new AssertionError(what.get());
        }
    }

    /// A cluster is told something of another one.
    ///
    /// @return an equal service
    ServiceSummary heard(String viewer, String origin, ServiceSummary service) {
        var from = clusters.get(origin);
        if (from == null) {
            return service;
        }
        require(
                from.hasEverSaid(service),
                () -> viewer + " is told of " + origin + " what that has not said: " + service);
        return Optional.ofNullable(from.exports.get(service.path()))
                .filter(service::equals)
                .orElse(service);
    }

    /// A service may go from a view when its cluster took it back, or when there are better clusters that have it.
    void lost(SimulatedCluster viewer, String origin, String path) {
        var from = clusters.get(origin);
        if (from == null || !from.member || from.everRemoved.contains(path)) {
            return;
        }
        var most = viewer.interest.mostOrigins();
        var others = clusters.values().stream()
                .filter(other -> !other.equals(viewer) && other.member)
                .filter(other -> other.exports.containsKey(path) || other.everRemoved.contains(path))
                .limit(most + 1L)
                .count();
        require(others > most, () -> viewer.name + " loses " + path + " of " + origin + ", which has it");
    }

    /// The address of a service may go only with the last cluster that has it.
    void addressesStay() {
        for (var viewer : clusters.values()) {
            for (var path : viewer.plane.takeHomeless()) {
                require(
                        !viewer.member
                                || clusters.values().stream()
                                        .noneMatch(other -> !other.equals(viewer)
                                                && other.member
                                                && other.exports.containsKey(path)
                                                && !other.everRemoved.contains(path)),
                        () -> viewer.name + " has lost the address of " + path
                                + ", which others have had all the time");
            }
        }
    }

    /// What these clusters should hold when nothing is under way; throws if they do not.
    void converged(Collection<SimulatedCluster> viewers) {
        var members =
                clusters.values().stream().filter(cluster -> cluster.member).toList();
        var exporters = new HashMap<String, List<SimulatedCluster>>();
        for (var viewer : viewers) {
            if (viewer.member) {
                gatewaysKnown(viewer, members);
                converged(viewer, members, exporters);
            }
        }
    }

    private static void gatewaysKnown(SimulatedCluster viewer, List<SimulatedCluster> members) {
        require(
                viewer.knownPeers() == members.size() - 1,
                () -> viewer.name + " knows " + viewer.knownPeers() + " of " + (members.size() - 1) + " gateways");
        for (var member : members) {
            if (!member.equals(viewer)) {
                require(
                        viewer.peer(member.uid())
                                .filter(peer -> peer.fact().equals(member.gateway()))
                                .isPresent(),
                        () -> viewer.name + " does not know the gateway of " + member.name);
            }
        }
    }

    private static void converged(
            SimulatedCluster viewer, List<SimulatedCluster> members, Map<String, List<SimulatedCluster>> exporters) {
        var seen = new HashMap<String, Map<String, ServiceSummary>>();
        viewer.plane
                .told()
                .forEach((origin, services) -> services.forEach((path, service) ->
                        seen.computeIfAbsent(path, _ -> new HashMap<>()).put(origin, service)));
        var paths = new HashSet<>(seen.keySet());
        if (viewer.interest.scope() instanceof Interest.InterestScope.Listed(var listed)) {
            paths.addAll(listed);
        } else {
            members.forEach(member -> paths.addAll(member.exports.keySet()));
        }
        for (var path : paths) {
            var have = exporters.computeIfAbsent(
                    path,
                    _ -> members.stream()
                            .filter(member -> member.exports.containsKey(path))
                            .toList());
            if (viewer.interest.includes(path)) {
                converged(viewer, path, have, seen.getOrDefault(path, Map.of()));
            }
        }
    }

    private static void converged(
            SimulatedCluster viewer, String path, List<SimulatedCluster> exporters, Map<String, ServiceSummary> held) {
        var most = viewer.interest.mostOrigins();
        var origins = exporters.size() - (viewer.exports.containsKey(path) ? 1 : 0);
        require(
                held.size() == Math.min(most, origins),
                () -> viewer.name + " knows " + held.size() + " clusters with " + path + " of " + origins);
        var known = new ArrayList<String>();
        var unknown = new ArrayList<String>();
        for (var origin : exporters) {
            if (origin.equals(viewer)) {
                continue;
            }
            var current = Optional.ofNullable(origin.exports.get(path)).orElseThrow();
            var service = held.get(origin.name);
            require(
                    service == null || service.equals(current),
                    () -> viewer.name + " holds " + service + " of " + origin.name + ", which says " + current);
            if (current.ready() > 0) {
                (service == null ? unknown : known).add(origin.name);
            }
        }
        require(
                known.size() == Math.min(most, known.size() + unknown.size()),
                () -> viewer.name + " knows with endpoints of " + path + " " + known + ", but not " + unknown);
    }
}
