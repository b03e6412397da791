// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Interner;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.input.WorkloadSources;
import io.fathom.control.ambient.network.NetworkGateways;
import io.fathom.control.ambient.policy.WaypointAccess;
import io.fathom.control.ambient.service.EntryMember;
import io.fathom.control.ambient.service.EntryServices;
import io.fathom.control.ambient.service.Memberships;
import io.fathom.control.ambient.service.TargetPorts;
import io.fathom.control.ambient.waypoint.GatewayRole;
import io.fathom.control.ambient.waypoint.Namespaces;
import io.fathom.control.ambient.waypoint.Waypoint;
import io.fathom.control.ambient.waypoint.Waypoints;
import io.fathom.control.ambient.waypoint.WorkloadWaypoints;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.EntryEndpoint;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Workloads from ServiceEntries: one per inline endpoint, or one per host where the host name itself is the endpoint.
///
/// Policies, capture and canonical names follow the labels of the entry, the waypoint those of the endpoint. Two
/// endpoints with one address have one name, and the last of them wins.
public final class ServiceEntryWorkloads {
    /// Only the service of a host can have a waypoint: nobody sends to the host as a workload.
    private static final Map<String, String> WITHOUT_WAYPOINT = Map.of(Markers.USE_WAYPOINT, "none");

    private final NetworkGateways gateways;
    private final WaypointAccess access;
    private final Interner interner;
    private final WorkloadWaypoints waypoints;
    private final Namespaces namespaces;
    private final Table<ObjectKey, List<String>> policies;
    private final Table<String, Workload> workloads;

    public ServiceEntryWorkloads(
            Flow flow,
            Namespaces namespaces,
            NetworkGateways gateways,
            Waypoints waypoints,
            WaypointAccess access,
            EntryServices services,
            Table<ObjectKey, List<String>> policies,
            Interner interner) {
        this.namespaces = namespaces;
        this.gateways = gateways;
        this.waypoints = new WorkloadWaypoints(waypoints);
        this.access = access;
        this.policies = policies;
        this.interner = interner;
        workloads = flow.deriveMany("service-entries/workloads", services.entries(), (fetch, entry) -> {
            var member = fetch.own(services.members());
            return member.isEmpty() ? Map.of() : workloads(fetch, entry.manifest(), member.get());
        });
    }

    /// The workloads by uid, on whatever network.
    public Table<String, Workload> workloads() {
        return workloads;
    }

    private Map<String, Workload> workloads(Fetch<ObjectKey> fetch, ServiceEntryManifest entry, EntryMember member) {
        var result = new LinkedHashMap<String, Workload>();
        for (var endpoint : entry.endpoints()) {
            add(result, workload(fetch, entry, member, member.hosts(), endpoint));
        }
        if (resolvesHosts(entry)) {
            for (var host : member.hosts()) {
                var endpoint = new EntryEndpoint(host.name(), Map.of(), WITHOUT_WAYPOINT, "", "", 0, "");
                add(result, workload(fetch, entry, member, List.of(host), endpoint));
            }
        }
        return result;
    }

    private static void add(Map<String, Workload> result, Workload workload) {
        result.put(workload.uid(), workload);
    }

    private static boolean resolvesHosts(ServiceEntryManifest entry) {
        return entry.endpoints().isEmpty()
                && entry.selector().isEmpty()
                && switch (entry.resolution()) {
                    case DNS, DNS_ROUND_ROBIN, DYNAMIC_DNS -> true;
                    case NONE, STATIC -> false;
                };
    }

    private Workload workload(
            Fetch<ObjectKey> fetch,
            ServiceEntryManifest entry,
            EntryMember member,
            List<EntryMember.Host> hosts,
            EntryEndpoint endpoint) {
        var context = namespaces.context(fetch, entry.key());
        var memberships = new Memberships();
        memberships.addHosts(
                member, hosts, ports -> interner.share(TargetPorts.ofEntryInEntry(ports, endpoint.ports())));
        var instance = waypoints.instanceOf(fetch, entry.key(), endpoint.labels());
        var attachment = waypoints.attach(
                fetch,
                entry.key(),
                endpoint.labels(),
                endpoint.serviceAccount(),
                context,
                instance.map(Waypoint::key).or(() -> memberships.role().map(GatewayRole::gateway)));
        var draft = new WorkloadDraft(
                WorkloadSources.endpointUid(entry.key(), endpoint.address()), entry.name(), entry.namespace());
        draft.endpoint(endpoint, context, memberships, network -> gateways.of(fetch, network), interner);
        draft.capture(entry.labels(), entry.annotations());
        draft.waypoint = attachment.address();
        draft.applicationTunnel = instance.flatMap(Waypoint::binding);
        draft.workloadName = entry.name();
        draft.canonicalName = WorkloadNames.canonicalName(entry.labels(), entry.name());
        draft.canonicalRevision = WorkloadNames.canonicalRevision(entry.labels());
        draft.authorizationPolicies =
                access.append(fetch, fetch.own(policies).orElse(List.of()), memberships, attachment);
        draft.clusterId = entry.key().cluster();
        return draft.finish(interner);
    }
}
