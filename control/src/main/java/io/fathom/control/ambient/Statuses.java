// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Entry;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.input.MeshNames;
import io.fathom.control.ambient.service.EntryServices;
import io.fathom.control.ambient.service.KubeServices;
import io.fathom.control.ambient.service.ServiceAttachment;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.control.ambient.vip.Vips;
import io.fathom.control.ambient.waypoint.Attachment;
import io.fathom.control.ambient.waypoint.Attachment.AttachmentReason;
import io.fathom.control.ambient.waypoint.Bypass;
import io.fathom.control.ambient.waypoint.Namespaces;
import io.fathom.control.ambient.workload.EntryWorkloads;
import io.fathom.wire.kube.ConditionTypes;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.EntryVisibility.Level;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.WorkloadEntryManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What is written back to objects: conditions about waypoints and visibility, and the
/// automatic addresses of ServiceEntries.
final class Statuses {
    private final Table<ManifestId, ObjectStatus> table;

    /// @param targeting other kinds that are attached to objects
    Statuses(
            Flow flow,
            KubeServices services,
            EntryServices serviceEntries,
            EntryWorkloads workloadEntries,
            Namespaces namespaces,
            Table<ObjectKey, Vips> vips,
            Table<ObjectKey, ObjectStatus> policies,
            List<Table<ManifestId, ObjectStatus>> targeting) {
        var ofServices = flow.derive(
                "services/statuses",
                services.attachments(),
                (fetch, attachment) ->
                        bound(attachment, attachment.primary().bypass()).map(ObjectStatus::of));
        var ofVips = flow.derive(
                "service-entries/allocated",
                vips,
                (fetch, found) -> Optional.of(found.status())
                        .filter(status -> !status.isEmpty() && !MeshNames.isOne(fetch.key())));
        var ofEntries = flow.derive(
                "service-entries/conditions",
                serviceEntries.entries(),
                (fetch, entry) -> Optional.of(conditions(fetch, entry, serviceEntries, namespaces))
                        .filter(found -> !found.isEmpty() && !MeshNames.isOne(fetch.key()))
                        .map(found -> new ObjectStatus(found, List.of())));
        var ofWorkloadEntries = flow.derive(
                "workload-entries/statuses",
                workloadEntries.attachments(),
                (fetch, attachment) -> bound(ServiceAttachment.without(attachment), Bypass.ALLOWED)
                        .map(ObjectStatus::of)); // no node proxy stands in front of it
        var both = flow.join("service-entries/spoken-of", List.of(ofEntries, ofVips));
        var merged = flow.derive(
                "service-entries/statuses",
                both,
                (fetch, _) -> Optional.of(fetch.own(ofEntries)
                        .orElse(ObjectStatus.NOTHING)
                        .and(fetch.own(ofVips).orElse(ObjectStatus.NOTHING))));
        var all = new ArrayList<>(List.of(
                named(flow, ServiceManifest.class, ofServices),
                named(flow, ServiceEntryManifest.class, merged),
                named(flow, WorkloadEntryManifest.class, ofWorkloadEntries),
                named(flow, AuthorizationPolicyManifest.class, policies)));
        all.addAll(targeting);
        table = flow.join("statuses", all);
    }

    Table<ManifestId, ObjectStatus> table() {
        return table;
    }

    static Table<ManifestId, ObjectStatus> named(
            Flow flow, Class<? extends Manifest> kind, Table<ObjectKey, ObjectStatus> statuses) {
        return flow.rekey("statuses/" + kind.getSimpleName(), statuses, (key, _) -> new ManifestId(kind, key));
    }

    private static List<StatusCondition> conditions(
            Fetch<ObjectKey> fetch, Entry entry, EntryServices serviceEntries, Namespaces namespaces) {
        var result = new ArrayList<StatusCondition>();
        var attachment = fetch.own(serviceEntries.attachments())
                .orElseGet(() -> ServiceAttachment.without(Attachment.nothing()));
        bound(attachment, attachment.primary().bypass()).ifPresent(result::add);
        if (attachment.primary().bound().isEmpty()) {
            missing(entry).ifPresent(result::add);
        }
        namespaces
                .defaults(fetch, entry.manifest().key())
                .visibility()
                .map(Statuses::visibility)
                .ifPresent(result::add);
        return result;
    }

    /// Nothing for an object that nobody wanted a waypoint for.
    ///
    /// @param bypass as it is enforced
    private static Optional<StatusCondition> bound(ServiceAttachment attachment, Bypass bypass) {
        return switch (attachment.primary()) {
            case Attachment.Nothing _ -> Optional.empty();
            case Attachment.Bound bound ->
                Optional.of(new StatusCondition(
                        ConditionTypes.WAYPOINT_BOUND,
                        StatusCondition.Status.TRUE,
                        "WaypointAccepted",
                        "traffic goes through Gateway " + bound.gateway().path() + required(bypass)
                                + attachment
                                        .canaryProblem()
                                        .map(problem -> "; no canary: " + problem)
                                        .orElse("")));
            case Attachment.Refused(AttachmentReason reason, String message, var _) ->
                Optional.of(new StatusCondition(
                        ConditionTypes.WAYPOINT_BOUND,
                        StatusCondition.Status.FALSE,
                        reason.text(),
                        bypass == Bypass.FORBIDDEN
                                ? message + "; its pods take calls through a waypoint only, so through none now"
                                : message));
        };
    }

    private static String required(Bypass bypass) {
        return bypass == Bypass.FORBIDDEN ? ", also that of ingress gateways, and its pods refuse all other" : "";
    }

    /// Entries that node proxies cannot serve alone.
    private static Optional<StatusCondition> missing(Entry entry) {
        if (entry.hosts().stream().anyMatch(host -> host.startsWith("*"))) {
            return Optional.of(new StatusCondition(
                    ConditionTypes.WAYPOINT_MISSING,
                    StatusCondition.Status.TRUE,
                    "NoWaypointForWildcardService",
                    "a wildcard host is only reached through a waypoint; label the entry " + Markers.USE_WAYPOINT));
        }
        if (entry.manifest()
                .annotations()
                .getOrDefault(Markers.CONNECT_STRATEGY, "")
                .equals("RACE_FIRST_TCP_CONNECT")) {
            return Optional.of(new StatusCondition(
                    ConditionTypes.WAYPOINT_MISSING,
                    StatusCondition.Status.TRUE,
                    "NoWaypointForRacingConnectStrategy",
                    "only a waypoint tries several addresses at once; label the entry " + Markers.USE_WAYPOINT));
        }
        return Optional.empty();
    }

    private static StatusCondition visibility(Level level) {
        var reason = level == Level.NAMESPACE ? "Namespace" : "Public";
        return new StatusCondition(
                ConditionTypes.VISIBILITY_APPLIED,
                StatusCondition.Status.TRUE,
                reason,
                level == Level.NAMESPACE ? "visible in its own namespace" : "visible in every namespace");
    }
}
