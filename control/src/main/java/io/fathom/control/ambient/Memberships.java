// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.model.mesh.Port;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.ServiceEntryManifest.EntryPort;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The services of one workload, collected during its derivation.
final class Memberships {
    private final Map<String, List<Port>> services = new HashMap<>();
    private final List<ObjectKey> waypoints = new ArrayList<>();
    private final List<ObjectKey> allWaypoints = new ArrayList<>();
    private Bypass bypass = Bypass.ALLOWED;
    private Optional<GatewayRole> role = Optional.empty();

    void add(List<ServiceMember> members, Function<List<ServicePort>, List<Port>> ports) {
        for (var member : members) {
            if (services.putIfAbsent(member.key(), List.of()) == null) {
                services.put(member.key(), ports.apply(member.ports()));
                note(member.gateway(), member.fronts());
            }
        }
    }

    void addEntries(List<EntryMember> members, Function<List<EntryPort>, List<Port>> ports) {
        members.forEach(member -> addHosts(member, member.hosts(), ports));
    }

    void addHosts(EntryMember member, List<EntryMember.Host> hosts, Function<List<EntryPort>, List<Port>> ports) {
        var found = ports.apply(member.ports());
        hosts.forEach(host -> services.putIfAbsent(host.key(), found));
        note(member.gateway(), member.fronts());
    }

    private void note(Optional<GatewayRole> serviceRole, Fronts fronts) {
        if (role.isEmpty()
                || serviceRole
                        .filter(own -> own.kind() == GatewayRole.Kind.NETWORK_GATEWAY)
                        .isPresent()) {
            role = serviceRole;
        }
        fronts.waypoint().ifPresent(waypoints::add);
        fronts.all().forEach(allWaypoints::add);
        bypass = bypass.and(fronts.bypass());
    }

    /// The ports by service.
    Map<String, List<Port>> services() {
        return services.isEmpty() ? Map.of() : Map.copyOf(services);
    }

    /// The Gateway that the workload makes work, as an endpoint of one of its services.
    Optional<GatewayRole> role() {
        return role;
    }

    boolean isNetworkGateway() {
        return role.filter(own -> own.kind() == GatewayRole.Kind.NETWORK_GATEWAY)
                .isPresent();
    }

    /// The Gateways in front of its services, without canaries.
    List<ObjectKey> waypoints() {
        return waypoints;
    }

    /// The same with canaries.
    List<ObjectKey> allWaypoints() {
        return allWaypoints;
    }

    /// Whether calls may come to it around those.
    Bypass bypass() {
        return bypass;
    }
}
