// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.LabelIndex;
import io.fathom.base.flow.Selector;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.WorkloadSources;
import io.fathom.control.ambient.waypoint.GatewayRole;
import io.fathom.control.ambient.waypoint.Waypoints;
import io.fathom.control.ambient.waypoint.WorkloadWaypoints;
import io.fathom.wire.kube.core.EndpointSliceManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.WorkloadEntryManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The service accounts of the workloads of services, for those services that want to know.
///
/// Follows from selectors, labels, slices and accounts alone, so that waypoints of services can follow from it, and
/// those of
/// workloads from both. A pod that becomes ready changes nothing here; one that comes, goes or is labelled otherwise is
/// a matter of its own services.
public final class MemberAccounts {
    private final Flow flow;
    private final Inputs inputs;
    private final WorkloadWaypoints gateways;
    private final LabelIndex<String, ObjectKey, PodManifest> podLabels;
    private final LabelIndex<String, ObjectKey, WorkloadEntryManifest> entryLabels;
    private final AmbientConfig config;

    /// A service that wants to know.
    ///
    /// @param gateway that it leads to: its workloads go through no waypoint
    record Asking(ObjectKey service, Map<String, String> selector, Optional<GatewayRole> gateway) {}

    /// What a pod or entry, or all pods of a slice, bring to services.
    private record Member(Set<String> accounts, List<ObjectKey> services) {}

    public MemberAccounts(
            Flow flow,
            Inputs inputs,
            Waypoints waypoints,
            LabelIndex<String, ObjectKey, PodManifest> podLabels,
            LabelIndex<String, ObjectKey, WorkloadEntryManifest> entryLabels,
            AmbientConfig config) {
        this.flow = flow;
        this.inputs = inputs;
        this.gateways = new WorkloadWaypoints(waypoints);
        this.podLabels = podLabels;
        this.entryLabels = entryLabels;
        this.config = config;
    }

    /// No row for a Service without such workloads.
    Table<ObjectKey, Set<String>> ofServices(Table<ObjectKey, Asking> services) {
        var members = new ArrayList<>(List.of(pods("services", services), slices(services)));
        if (config.has(Feature.SERVICES_SELECT_ENTRIES)) {
            members.add(entries("services", services));
        }
        return accounts("services", members);
    }

    /// The same for ServiceEntries; endpoints inside them are no concern of this.
    Table<ObjectKey, Set<String>> ofServiceEntries(Table<ObjectKey, Asking> services) {
        var members = new ArrayList<>(List.of(entries("service-entries", services)));
        if (config.has(Feature.ENTRIES_SELECT_PODS)) {
            members.add(pods("service-entries", services));
        }
        return accounts("service-entries", members);
    }

    private Table<ObjectKey, Set<String>> accounts(String kind, List<Table<String, Member>> members) {
        var byService = flow.index(
                kind + "/account-members",
                flow.join(kind + "/all-account-members", members),
                member -> Set.copyOf(member.services()));
        return flow.reduce(
                kind + "/accounts",
                byService,
                (fetch, _, found) -> Optional.of(found.stream()
                        .flatMap(member -> member.accounts().stream())
                        .collect(Collectors.toUnmodifiableSet())));
    }

    private Table<String, Member> pods(String kind, Table<ObjectKey, Asking> services) {
        var selected = selected(kind + "/account-pods-selected", podLabels, services);
        var members = flow.derive(
                kind + "/account-pods",
                selected,
                (fetch, asking) -> fetch.own(inputs.pods())
                        .filter(pod -> counts(fetch, pod))
                        .flatMap(pod -> member(pod.serviceAccount(), asking)));
        return flow.rekey(kind + "/account-pods-by-uid", members, (key, _) -> WorkloadSources.podUid(key));
    }

    private Table<String, Member> entries(String kind, Table<ObjectKey, Asking> services) {
        var selected = selected(kind + "/account-entries-selected", entryLabels, services);
        var members = flow.derive(
                kind + "/account-entries",
                selected,
                (fetch, asking) -> fetch.own(inputs.workloadEntries())
                        .flatMap(entry -> member(entry.endpoint().serviceAccount(), asking)));
        return flow.rekey(kind + "/account-entries-by-uid", members, (key, _) -> WorkloadSources.entryUid(key));
    }

    private Table<String, Member> slices(Table<ObjectKey, Asking> services) {
        var members = flow.derive(
                "services/account-slices",
                inputs.slices(),
                (fetch, slice) -> Optional.of(slice)
                        .filter(SliceTargets::refersToPods)
                        .flatMap(own -> fetch.one(services, own.key().sibling(own.service())))
                        .filter(service -> !SliceTargets.isMirror(slice, service.selector()))
                        .map(service -> new Member(accounts(fetch, slice), List.of(service.service()))));
        return flow.rekey("services/account-slices-by-name", members, (key, _) -> "EndpointSlice/" + key);
    }

    private Set<String> accounts(Fetch<?> fetch, EndpointSliceManifest slice) {
        return SliceTargets.pods(slice)
                .flatMap(target -> fetch
                        .one(inputs.pods(), SliceTargets.pod(slice, target))
                        .filter(pod -> pod.namespace().equals(slice.namespace())
                                && pod.metadata().uid().equals(target.uid())
                                && counts(fetch, pod))
                        .stream())
                .map(PodManifest::serviceAccount)
                .collect(Collectors.toUnmodifiableSet());
    }

    private boolean counts(Fetch<?> fetch, PodManifest pod) {
        return WorkloadSources.isServed(pod)
                && gateways.instanceOf(fetch, pod.key(), pod.labels()).isEmpty();
    }

    private <V> Table<ObjectKey, List<Asking>> selected(
            String name, LabelIndex<String, ObjectKey, V> labels, Table<ObjectKey, Asking> services) {
        return flow.select(
                name,
                labels,
                services,
                service ->
                        Optional.of(new Selector<>(Optional.of(service.service().namespace()), service.selector())));
    }

    private static Optional<Member> member(String account, List<Asking> services) {
        return account.isEmpty()
                        || services.stream().anyMatch(own -> own.gateway().isPresent())
                ? Optional.empty()
                : Optional.of(new Member(
                        Set.of(account), services.stream().map(Asking::service).toList()));
    }
}
