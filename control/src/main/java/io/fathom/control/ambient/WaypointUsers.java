// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.base.flow.Change;
import io.fathom.base.flow.Cut;
import io.fathom.base.flow.PersistentMap;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.WorkloadSources;
import io.fathom.control.ambient.waypoint.Waypoint;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Who uses a waypoint, at one moment. Reads everything, so it is for people who look, not for each change.
final class WaypointUsers {
    private final Cut cut;
    private final Inputs inputs;
    private final MeshTables tables;

    WaypointUsers(Cut cut, Inputs inputs, MeshTables tables) {
        this.cut = cut;
        this.inputs = inputs;
        this.tables = tables;
    }

    List<Service> services(ObjectKey gateway) {
        var wanted = address(gateway);
        var result = new ArrayList<Service>();
        cut.of(tables.addresses()).forEach((_, address) -> {
            if (address instanceof Service service
                    && wanted.filter(own -> waypoints(service).contains(own)).isPresent()) {
                result.add(service);
            }
        });
        result.sort(Comparator.comparing(Service::key));
        return List.copyOf(result);
    }

    List<Workload> workloads(ObjectKey gateway) {
        var wanted = address(gateway);
        if (wanted.isEmpty()) {
            return List.of();
        }
        var result = new ArrayList<Workload>();
        cut.of(tables.addresses()).forEach((_, address) -> {
            if (address instanceof Workload workload && workload.waypoint().equals(wanted)) {
                result.add(workload);
            }
        });
        var ages = ages();
        result.sort(Comparator.<Workload, Instant>comparing(workload -> ages.getOrDefault(workload.uid(), Instant.MAX))
                .thenComparing(Workload::uid));
        return List.copyOf(result);
    }

    /// The waypoints that a change concerns: those of the state before and those of the state after.
    static Set<GatewayAddress> touched(Change<String, Address> change) {
        var result = new HashSet<GatewayAddress>();
        change.previous().ifPresent(before -> result.addAll(waypoints(before)));
        change.current().ifPresent(after -> result.addAll(waypoints(after)));
        return result;
    }

    private static Set<GatewayAddress> waypoints(Address address) {
        var result = new HashSet<GatewayAddress>();
        switch (address) {
            case Workload workload -> workload.waypoint().ifPresent(result::add);
            case Service service -> {
                service.waypoint().ifPresent(result::add);
                service.weightedWaypoints().forEach(share -> result.add(share.destination()));
            }
        }
        return result;
    }

    private Optional<GatewayAddress> address(ObjectKey gateway) {
        return cut.of(tables.waypoints().table()).find(gateway).flatMap(Waypoint::address);
    }

    private Map<String, Instant> ages() {
        var ages = new HashMap<String, Instant>();
        collect(cut.of(inputs.pods()), pod -> List.of(WorkloadSources.podUid(pod.key())), ages);
        collect(cut.of(inputs.workloadEntries()), entry -> List.of(WorkloadSources.entryUid(entry.key())), ages);
        collect(cut.of(inputs.serviceEntries()), WaypointUsers::uids, ages);
        return ages;
    }

    private static List<String> uids(ServiceEntryManifest entry) {
        var result = new ArrayList<String>();
        entry.endpoints().forEach(endpoint -> result.add(WorkloadSources.endpointUid(entry.key(), endpoint.address())));
        entry.hosts().forEach(host -> result.add(WorkloadSources.endpointUid(entry.key(), host)));
        return result;
    }

    private static <M extends Manifest> void collect(
            PersistentMap<ObjectKey, M> manifests, Function<M, List<String>> uids, Map<String, Instant> ages) {
        manifests.forEach((_, manifest) -> {
            Metadata metadata = manifest.metadata();
            uids.apply(manifest).forEach(uid -> ages.put(uid, metadata.created()));
        });
    }
}
