// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.MeshNames;
import io.fathom.control.ambient.input.ServiceSharing;
import io.fathom.control.ambient.waypoint.GatewayRole.GatewayDuty;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Waypoints that something goes through which stays in its cluster. The service of such a waypoint has no endpoints in
/// other clusters, even if it belongs to all of them: whoever goes through it would leave the cluster on the way.
public final class KeptWaypoints {
    private final GatewayServices gateways;
    private final Index<ObjectKey, ObjectKey, Set<ObjectKey>> services;
    private final Index<ObjectKey, ObjectKey, Set<ObjectKey>> entries;

    public KeptWaypoints(
            Flow flow, Inputs inputs, KubeServices services, EntryServices entries, GatewayServices gateways) {
        this.gateways = gateways;
        var ofServices = flow.derive(
                "services/kept-behind",
                services.attachments(),
                (fetch, attachment) -> fetch.own(inputs.sharing())
                                .filter(ServiceSharing::withKubernetesName)
                                .isPresent()
                        ? Optional.<Set<ObjectKey>>empty()
                        : fronts(attachment));
        var ofEntries = flow.derive(
                "service-entries/kept-behind",
                entries.attachments(),
                (fetch, attachment) -> MeshNames.isOne(fetch.key()) || entries.isGlobal(fetch)
                        ? Optional.<Set<ObjectKey>>empty()
                        : fronts(attachment));
        this.services = flow.index("services/by-waypoint-kept", ofServices, fronts -> fronts);
        this.entries = flow.index("service-entries/by-waypoint-kept", ofEntries, fronts -> fronts);
    }

    private static Optional<Set<ObjectKey>> fronts(ServiceAttachment attachment) {
        return Optional.of(Fronts.of(attachment).all().collect(Collectors.toSet()))
                .filter(found -> !found.isEmpty());
    }

    /// Whether endpoints that a service has in other clusters must not be used.
    ///
    /// @param service its resource name
    public boolean forbids(Fetch<?> fetch, String service) {
        return gateways.role(fetch, service)
                .filter(role -> role.kind() == GatewayDuty.WAYPOINT)
                .filter(role -> !fetch.all(services, role.gateway()).isEmpty()
                        || !fetch.all(entries, role.gateway()).isEmpty())
                .isPresent();
    }
}
