// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Interner;
import io.fathom.control.ambient.input.WorkloadSources;
import io.fathom.control.ambient.network.NetworkGateways;
import io.fathom.control.ambient.policy.WaypointAccess;
import io.fathom.control.ambient.service.EntryMember;
import io.fathom.control.ambient.service.Memberships;
import io.fathom.control.ambient.service.ServiceMember;
import io.fathom.control.ambient.service.TargetPorts;
import io.fathom.control.ambient.waypoint.Attachment;
import io.fathom.control.ambient.waypoint.GatewayRole;
import io.fathom.control.ambient.waypoint.Namespaces;
import io.fathom.control.ambient.waypoint.Waypoint;
import io.fathom.control.ambient.waypoint.Waypoints;
import io.fathom.control.ambient.waypoint.WorkloadWaypoints;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.WorkloadEntryManifest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Workloads from WorkloadEntries: each gives one, even without an address.
public final class EntryWorkloads {
    private final NetworkGateways gateways;
    private final WaypointAccess access;
    private final Interner interner;
    private final WorkloadWaypoints waypoints;
    private final Namespaces namespaces;
    private final Joins joins;
    private final Table<ObjectKey, Attachment> attachments;
    private final Table<String, Workload> workloads;

    /// What an entry is behind.
    public record Joins(
            Table<ObjectKey, List<ServiceMember>> services,
            Table<ObjectKey, List<EntryMember>> entries,
            Table<ObjectKey, List<String>> policies) {}

    public EntryWorkloads(
            Flow flow,
            Inputs inputs,
            Namespaces namespaces,
            NetworkGateways gateways,
            Waypoints waypoints,
            WaypointAccess access,
            Joins joins,
            Interner interner) {
        this.namespaces = namespaces;
        this.gateways = gateways;
        this.waypoints = new WorkloadWaypoints(waypoints);
        this.access = access;
        this.joins = joins;
        this.interner = interner;
        attachments = flow.derive("workload-entries/attachments", inputs.workloadEntries(), this::attachment);
        var byEntry = flow.derive(
                "workload-entries/workloads",
                inputs.workloadEntries(),
                (fetch, entry) -> Optional.of(workload(fetch, entry)));
        workloads = flow.rekey("workload-entries/workloads-by-uid", byEntry, (_, workload) -> workload.uid());
    }

    /// What came of each entry's wish for a waypoint.
    public Table<ObjectKey, Attachment> attachments() {
        return attachments;
    }

    /// The workloads by uid, on whatever network.
    public Table<String, Workload> workloads() {
        return workloads;
    }

    /// Those of the spec and of the metadata; the latter win.
    public static Map<String, String> labels(WorkloadEntryManifest entry) {
        if (entry.endpoint().labels().isEmpty()) {
            return entry.labels();
        }
        var merged = new HashMap<>(entry.endpoint().labels());
        merged.putAll(entry.labels());
        return merged;
    }

    private Optional<Attachment> attachment(Fetch<ObjectKey> fetch, WorkloadEntryManifest entry) {
        var context = namespaces.context(fetch, entry.key());
        var gateway = waypoints
                .instanceOf(fetch, entry.key(), labels(entry))
                .map(Waypoint::key)
                .or(() -> memberships(fetch, entry).role().map(GatewayRole::gateway));
        var account = entry.endpoint().serviceAccount();
        return Optional.of(waypoints.attach(fetch, entry.key(), labels(entry), account, context, gateway));
    }

    private Workload workload(Fetch<ObjectKey> fetch, WorkloadEntryManifest entry) {
        var endpoint = entry.endpoint();
        var labels = labels(entry);
        var context = namespaces.context(fetch, entry.key());
        var memberships = memberships(fetch, entry);
        var attachment = fetch.own(attachments).orElse(Attachment.nothing());
        var draft = new WorkloadDraft(WorkloadSources.entryUid(entry.key()), entry.name(), entry.namespace());
        draft.endpoint(endpoint, context, memberships, network -> gateways.of(fetch, network), interner);
        draft.applicationTunnel =
                waypoints.instanceOf(fetch, entry.key(), labels).flatMap(Waypoint::binding);
        draft.capture(labels, entry.annotations());
        draft.waypoint = attachment.address();
        draft.workloadName = WorkloadNames.ofEntry(entry, labels);
        draft.canonicalName = WorkloadNames.canonicalName(labels, draft.workloadName);
        draft.canonicalRevision = WorkloadNames.canonicalRevision(labels);
        draft.authorizationPolicies =
                access.append(fetch, fetch.own(joins.policies()).orElse(List.of()), memberships, attachment);
        draft.health = entry.healthy() ? Workload.Health.HEALTHY : Workload.Health.UNHEALTHY;
        draft.clusterId = entry.key().cluster();
        return draft.finish(interner);
    }

    private Memberships memberships(Fetch<ObjectKey> fetch, WorkloadEntryManifest entry) {
        var ports = entry.endpoint().ports();
        var memberships = new Memberships();
        memberships.add(
                fetch.own(joins.services()).orElse(List.of()),
                service -> interner.share(TargetPorts.ofEntry(service, ports)));
        memberships.addEntries(
                fetch.own(joins.entries()).orElse(List.of()),
                service -> interner.share(TargetPorts.ofEntryInEntry(service, ports)));
        return memberships;
    }
}
