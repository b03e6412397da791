// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.refusal.PartKey;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.LinkedHashMap;
import java.util.Map;

/// Which waypoints stand in front of which services: a row for each pair of them.
final class Ownership {
    /// A service that a group stands in front of.
    record Owned(ObjectKey group, MeshService service) {}

    private final MeshFlow mesh;
    private final Groups groups;
    private final MeshServices services;
    private final FormerWaypoints former;
    private final Table<PartKey, Owned> table;

    Ownership(MeshFlow mesh, Groups groups, MeshServices services, FormerWaypoints former) {
        this.mesh = mesh;
        this.groups = groups;
        this.former = former;
        this.services = services;
        table = mesh.flow().deriveMany("envoy/owned", services.table(), this::owners);
    }

    Table<PartKey, Owned> table() {
        return table;
    }

    /// Where what a waypoint handles may lead.
    RecordedDestinations destinations(Fetch<?> fetch, ObjectKey group) {
        return new RecordedDestinations(
                fetch,
                group,
                services,
                service -> fetch.one(table, PartKey.ofService(group, service)).isPresent());
    }

    private Map<PartKey, Owned> owners(Fetch<String> fetch, MeshService service) {
        var result = new LinkedHashMap<PartKey, Owned>();
        for (var group : mesh.waypoints(fetch, service.service())) {
            result.put(PartKey.ofService(group, service.service().key()), new Owned(group, service));
        }
        for (var address : former.of(fetch)) {
            for (var group : groups.waypoints(fetch, address)) {
                result.put(PartKey.ofService(group, service.service().key()), new Owned(group, service));
            }
        }
        return result;
    }
}
