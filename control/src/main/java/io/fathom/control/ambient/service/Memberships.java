// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.control.ambient.waypoint.Bypass;
import io.fathom.control.ambient.waypoint.GatewayRole;
import io.fathom.model.mesh.Port;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope.Scope;
import io.fathom.wire.kube.networking.ServiceEntryManifest.EntryPort;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/// The services of one workload, collected during its derivation.
public final class Memberships {
    private final Map<String, List<Port>> services = new HashMap<>();
    private final List<ObjectKey> waypoints = new ArrayList<>();
    private final List<ObjectKey> allWaypoints = new ArrayList<>();
    private final SortedSet<Integer> globalPorts = new TreeSet<>();
    private Bypass bypass = Bypass.ALLOWED;
    private Optional<GatewayRole> role = Optional.empty();

    public void add(List<ServiceMember> members, Function<List<ServicePort>, List<Port>> ports) {
        for (var member : members) {
            if (!services.keySet().containsAll(member.keys())) {
                var found = ports.apply(member.ports());
                member.keys().forEach(key -> services.put(key, found));
                share(member.scope(), found);
                note(member.gateway(), member.fronts());
            }
        }
    }

    public void addEntries(List<EntryMember> members, Function<List<EntryPort>, List<Port>> ports) {
        members.forEach(member -> addHosts(member, member.hosts(), ports));
    }

    public void addHosts(
            EntryMember member, List<EntryMember.Host> hosts, Function<List<EntryPort>, List<Port>> ports) {
        var found = ports.apply(member.ports());
        hosts.forEach(host -> services.putIfAbsent(host.key(), found));
        share(member.scope(), found);
        note(member.gateway(), member.fronts());
    }

    private void share(Scope scope, List<Port> ports) {
        if (scope == Scope.GLOBAL) {
            ports.forEach(port -> globalPorts.add(port.targetPort()));
        }
    }

    private void note(Optional<GatewayRole> serviceRole, Fronts fronts) {
        if (role.isEmpty()
                || serviceRole
                        .filter(own -> own.kind() == GatewayRole.GatewayDuty.NETWORK_GATEWAY)
                        .isPresent()) {
            role = serviceRole;
        }
        fronts.waypoint().ifPresent(waypoints::add);
        fronts.all().forEach(allWaypoints::add);
        bypass = bypass.and(fronts.bypass());
    }

    /// The ports by service.
    public Map<String, List<Port>> services() {
        return services.isEmpty() ? Map.of() : Map.copyOf(services);
    }

    /// The Gateway that the workload makes work, as an endpoint of one of its services.
    public Optional<GatewayRole> role() {
        return role;
    }

    public boolean isNetworkGateway() {
        return role.filter(own -> own.kind() == GatewayRole.GatewayDuty.NETWORK_GATEWAY)
                .isPresent();
    }

    /// The ports of the workload itself that services of all clusters lead to.
    public SortedSet<Integer> globalPorts() {
        return globalPorts;
    }

    /// The Gateways in front of its services, without canaries.
    public List<ObjectKey> waypoints() {
        return waypoints;
    }

    /// The same with canaries.
    public List<ObjectKey> allWaypoints() {
        return allWaypoints;
    }

    /// Whether calls may come to it around those.
    public Bypass bypass() {
        return bypass;
    }
}
