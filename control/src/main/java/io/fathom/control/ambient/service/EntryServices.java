// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Entry;
import io.fathom.control.ambient.input.Interner;
import io.fathom.control.ambient.input.MeshNames;
import io.fathom.control.ambient.network.Networks;
import io.fathom.control.ambient.network.RemoteEndpoints;
import io.fathom.control.ambient.service.MemberAccounts.Asking;
import io.fathom.control.ambient.service.ServiceAttachments.AttachmentReach;
import io.fathom.control.ambient.vip.Vips;
import io.fathom.control.ambient.waypoint.GatewayRole;
import io.fathom.control.ambient.waypoint.Namespaces;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Service.Visibility;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.EntryVisibility.Level;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope.Scope;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Services of the mesh from ServiceEntries, one per host.
public final class EntryServices {
    private final Networks networks;
    private final Namespaces namespaces;
    private final GatewayServices gatewayServices;
    private final KubeServices services;
    private final Interner interner;
    private final Table<ObjectKey, Vips> vips;
    private final Table<ObjectKey, Entry> entries;
    private final EntryHosts hosts;
    private final Table<ObjectKey, ServiceAttachment> attachments;
    private final Table<ObjectKey, EntryMember> members;

    public EntryServices(
            Flow flow,
            Table<ObjectKey, ServiceEntryManifest> manifests,
            Networks networks,
            Namespaces namespaces,
            ServiceAttachments decisions,
            GatewayServices gatewayServices,
            KubeServices services,
            Table<ObjectKey, Vips> vips,
            AmbientConfig config,
            Interner interner) {
        this.networks = networks;
        this.namespaces = namespaces;
        this.gatewayServices = gatewayServices;
        this.services = services;
        this.interner = interner;
        this.vips = vips;
        entries = flow.derive("service-entries/served", manifests, this::entry);
        hosts = new EntryHosts(flow, entries, services, config);
        var asking = flow.derive(
                "service-entries/asking-accounts",
                entries,
                (fetch, entry) -> Optional.of(entry.manifest())
                        .filter(own -> !namespaces
                                .defaults(fetch, own.key())
                                .accounts()
                                .isEmpty())
                        .map(own -> new Asking(own.key(), own.selector(), role(fetch, entry, entry.hosts()))));
        var accounts = decisions.members().ofServiceEntries(asking);
        attachments = flow.derive(
                "service-entries/attachments",
                entries,
                (fetch, entry) -> Optional.of(ofService(fetch, entry)
                        .orElseGet(() -> decisions.attach(
                                fetch,
                                entry.manifest(),
                                accounts(entry, fetch.own(accounts).orElse(Set.of())),
                                namespaces.defaults(fetch, entry.manifest().key()),
                                entry.visibility() == Visibility.NAMESPACE
                                        ? AttachmentReach.OWN_NAMESPACE
                                        : AttachmentReach.EVERY_NAMESPACE,
                                role(fetch, entry, entry.hosts())))));
        members = flow.derive("service-entries/members", entries, this::member);
    }

    /// Those that can be served, whether their hosts are theirs or not.
    public Table<ObjectKey, Entry> entries() {
        return entries;
    }

    /// What came of each entry's wish for a waypoint.
    public Table<ObjectKey, ServiceAttachment> attachments() {
        return attachments;
    }

    /// For joins with workloads; a row for every entry that owns one of its hosts.
    public Table<ObjectKey, EntryMember> members() {
        return members;
    }

    /// The services by resource name.
    public Table<String, Service> served(Flow flow, RemoteEndpoints remote) {
        return flow.deriveMany("service-entries/services", entries, (fetch, entry) -> {
            var owned = fetch.own(members).map(EntryMember::hosts).orElse(List.of());
            var result = new LinkedHashMap<String, Service>();
            owned.forEach(host -> result.put(host.key(), service(fetch, entry, host, remote)));
            return result;
        });
    }

    /// The ports of services that belong to all clusters, by resource name.
    public Table<String, List<Port>> global(Flow flow) {
        return flow.deriveMany("service-entries/global", entries, (fetch, entry) -> {
            var result = new LinkedHashMap<String, List<Port>>();
            if (isGlobal(fetch, entry)) {
                fetch.own(members)
                        .map(EntryMember::hosts)
                        .orElse(List.of())
                        .forEach(host -> result.put(host.key(), ports(entry.manifest())));
            }
            return result;
        });
    }

    /// A service goes through the same waypoints whatever it is called.
    private Optional<ServiceAttachment> ofService(Fetch<?> fetch, Entry entry) {
        return MeshNames.serviceOf(entry.manifest().key())
                .flatMap(service -> fetch.one(services.attachments(), service));
    }

    private Optional<Entry> entry(Fetch<ObjectKey> fetch, ServiceEntryManifest manifest) {
        var level = MeshNames.isOne(manifest.key())
                ? Level.PUBLIC
                : namespaces.defaults(fetch, manifest.key()).visibility().orElse(Level.PUBLIC);
        return level == Level.NONE
                ? Optional.empty()
                : Entry.parseAddresses(manifest)
                        .map(addresses -> new Entry(
                                manifest,
                                addresses,
                                level == Level.NAMESPACE ? Visibility.NAMESPACE : Visibility.PUBLIC));
    }

    /// Those of selected workloads and of endpoints inside the entry.
    private static Set<String> accounts(Entry entry, Set<String> selected) {
        var result = new HashSet<>(selected);
        entry.manifest().endpoints().forEach(endpoint -> result.add(endpoint.serviceAccount()));
        return result;
    }

    private Optional<EntryMember> member(Fetch<ObjectKey> fetch, Entry entry) {
        var owned = entry.hosts().stream()
                .filter(host -> hosts.owns(fetch, entry, host))
                .toList();
        if (owned.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new EntryMember(
                entry.manifest().namespace(),
                owned.stream()
                        .map(host -> new EntryMember.Host(entry.keyOf(host), host))
                        .toList(),
                entry.manifest().selector(),
                entry.manifest().ports(),
                role(fetch, entry, owned),
                isGlobal(fetch, entry) ? Scope.GLOBAL : Scope.LOCAL,
                Fronts.of(fetch.own(attachments).orElseThrow())));
    }

    private Optional<GatewayRole> role(Fetch<?> fetch, Entry entry, List<String> candidates) {
        return candidates.stream()
                .flatMap(host -> gatewayServices.role(fetch, entry.keyOf(host)).stream())
                .findFirst();
    }

    private Service service(Fetch<ObjectKey> fetch, Entry entry, EntryMember.Host host, RemoteEndpoints remote) {
        var manifest = entry.manifest();
        var attachment = fetch.own(attachments).orElseThrow();
        var names = manifest.subjectAltNames();
        if (isGlobal(fetch, entry)) {
            var all = new TreeSet<>(names);
            all.addAll(remote.identities(fetch, host.key()));
            names = List.copyOf(all);
        }
        return new Service(
                manifest.name(),
                manifest.namespace(),
                host.name(),
                isGlobal(fetch, entry)
                        ? remote.merged(fetch, host.key(), addresses(fetch, entry, host))
                        : addresses(fetch, entry, host),
                interner.share(ports(manifest)),
                names,
                new ServiceWaypoints(attachment.primary().address(), attachment.weighted(), attachment.ingress()),
                TrafficDistribution.of(
                        manifest,
                        namespaces.defaults(fetch, manifest.key()).distribution(),
                        MeshNames.isOne(manifest.key()) ? TrafficDistribution.WITHIN_NETWORK : LoadBalancing.NONE),
                Service.IpFamilies.AUTOMATIC,
                hosts.isCanonical(fetch, entry, host.name()) ? Service.Canonical.YES : Service.Canonical.NO,
                entry.visibility());
    }

    private List<NetworkAddress> addresses(Fetch<ObjectKey> fetch, Entry entry, EntryMember.Host host) {
        var network = networks.of(fetch, entry.manifest().key());
        if (!entry.addresses().isEmpty()) {
            return entry.addresses().stream()
                    .map(block -> new NetworkAddress(network, block))
                    .toList();
        }
        return fetch.own(vips).map(found -> found.of(host.name())).orElse(List.of()).stream()
                .map(ip -> NetworkAddress.of(network, ip))
                .toList();
    }

    /// Whether the entry that is derived from belongs to all clusters.
    boolean isGlobal(Fetch<ObjectKey> fetch) {
        return fetch.own(entries).filter(entry -> isGlobal(fetch, entry)).isPresent();
    }

    private boolean isGlobal(Fetch<?> fetch, Entry entry) {
        var manifest = entry.manifest();
        return MeshNames.isOne(manifest.key())
                || namespaces.defaults(fetch, manifest.key()).isGlobal(manifest.labels());
    }

    private static List<Port> ports(ServiceEntryManifest manifest) {
        var result = new ArrayList<Port>(manifest.ports().size());
        for (var port : manifest.ports()) {
            result.add(new Port(port.number(), TargetPorts.target(port), AppProtocols.ofEntry(port.protocol())));
        }
        return List.copyOf(result);
    }
}
