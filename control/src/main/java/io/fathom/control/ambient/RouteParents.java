// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Hosts;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.waypoint.Waypoint;
import io.fathom.control.ambient.waypoint.Waypoints;
import io.fathom.control.gateway.MeshParent;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Service;
import io.fathom.model.peering.ExportedService;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.manifest.Transport;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Services and ServiceEntries as routes see them, and which waypoints stand in front of services.
final class RouteParents implements MeshParent.Finder {
    private final Inputs inputs;
    private final Table<String, Address> addresses;
    private final Index<GatewayAddress, ObjectKey, Waypoint> waypoints;
    private final Table<ObjectKey, ExportedService> exports;
    private final String domain;

    RouteParents(
            Flow flow,
            Inputs inputs,
            Waypoints waypoints,
            Table<String, Address> addresses,
            Table<ObjectKey, ExportedService> exports,
            String domain) {
        this.inputs = inputs;
        this.exports = exports;
        this.addresses = addresses;
        this.domain = domain;
        this.waypoints = flow.index(
                "waypoints/by-address",
                waypoints.table(),
                waypoint -> waypoint.address()
                        .filter(_ -> waypoint.objection().isEmpty())
                        .map(Set::of)
                        .orElse(Set.of()));
    }

    @Override
    public Optional<MeshParent> find(Fetch<?> fetch, String kind, ObjectKey key) {
        return kind.equals("Service")
                ? fetch.one(inputs.services(), key).map(service -> parent(fetch, service))
                : fetch.one(inputs.serviceEntries(), key).map(entry -> parent(fetch, entry));
    }

    /// The waypoints in front of a service: its own, and those that share its traffic.
    Set<ObjectKey> waypoints(Fetch<?> fetch, Service service) {
        var result = new LinkedHashSet<ObjectKey>();
        service.waypoint().ifPresent(address -> add(fetch, address, result));
        service.weightedWaypoints().forEach(share -> add(fetch, share.destination(), result));
        return result;
    }

    private void add(Fetch<?> fetch, GatewayAddress address, Set<ObjectKey> result) {
        fetch.all(waypoints, address).stream().map(Waypoint::key).forEach(result::add);
    }

    private MeshParent parent(Fetch<?> fetch, ServiceManifest service) {
        var name = Hosts.keyOf(service.key(), domain);
        var served = served(fetch, name);
        return new MeshParent(
                service.key(),
                service.ports().stream()
                        .filter(port -> port.transport() == Transport.TCP)
                        .map(port ->
                                new MeshParent.ParentPort(port.number(), port.name(), protocol(served, port.number())))
                        .toList(),
                Stream.of(Stream.of(name), meshWide(fetch, service).stream(), exported(fetch, service).stream())
                        .flatMap(each -> each)
                        .map(each -> host(fetch, each, served(fetch, each)))
                        .toList());
    }

    /// What is said of a service holds whatever it is called.
    private Optional<String> meshWide(Fetch<?> fetch, ServiceManifest service) {
        return Optional.of(Hosts.meshKeyOf(service.namespace(), service.name()))
                .filter(_ -> fetch.one(inputs.sharing(), service.key()).isPresent());
    }

    private Optional<String> exported(Fetch<?> fetch, ServiceManifest service) {
        return fetch.one(exports, service.key())
                .map(_ -> Hosts.clusterSetKeyOf(service.namespace(), service.name()))
                .filter(key -> served(fetch, key).isPresent());
    }

    private MeshParent parent(Fetch<?> fetch, ServiceEntryManifest entry) {
        var names = entry.hosts().stream()
                .map(host -> entry.namespace() + "/" + host)
                .toList();
        var first = names.stream().flatMap(name -> served(fetch, name).stream()).findFirst();
        return new MeshParent(
                entry.key(),
                entry.ports().stream()
                        .filter(port -> !port.protocol().equalsIgnoreCase("udp"))
                        .map(port ->
                                new MeshParent.ParentPort(port.number(), port.name(), protocol(first, port.number())))
                        .toList(),
                names.stream()
                        .map(name -> host(fetch, name, served(fetch, name)))
                        .toList());
    }

    private Optional<Service> served(Fetch<?> fetch, String name) {
        return fetch.one(addresses, name)
                .flatMap(address -> address instanceof Service own ? Optional.of(own) : Optional.empty());
    }

    private MeshParent.Host host(Fetch<?> fetch, String name, Optional<Service> served) {
        return new MeshParent.Host(
                name,
                name.substring(name.indexOf('/') + 1),
                served.map(service -> waypoints(fetch, service)).orElse(Set.of()));
    }

    private static AppProtocol protocol(Optional<Service> service, int number) {
        return service.stream()
                .flatMap(own -> own.ports().stream())
                .filter(port -> port.servicePort() == number)
                .map(port -> port.appProtocol())
                .filter(protocol -> protocol != AppProtocol.UNKNOWN)
                .findFirst()
                .orElse(AppProtocol.UNKNOWN);
    }
}
