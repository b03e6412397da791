// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Interner;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.input.WorkloadSources;
import io.fathom.control.ambient.policy.EntrancePolicies;
import io.fathom.control.ambient.policy.RequiredWaypointPolicies;
import io.fathom.control.ambient.policy.WaypointAccess;
import io.fathom.control.ambient.service.EntryMember;
import io.fathom.control.ambient.service.Memberships;
import io.fathom.control.ambient.service.ServiceMember;
import io.fathom.control.ambient.service.SliceTargets;
import io.fathom.control.ambient.service.TargetPorts;
import io.fathom.control.ambient.waypoint.Attachment;
import io.fathom.control.ambient.waypoint.GatewayRole;
import io.fathom.control.ambient.waypoint.HairpinWish;
import io.fathom.control.ambient.waypoint.NamespaceContext;
import io.fathom.control.ambient.waypoint.Namespaces;
import io.fathom.control.ambient.waypoint.Waypoint;
import io.fathom.control.ambient.waypoint.Waypoints;
import io.fathom.control.ambient.waypoint.WorkloadWaypoints;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.RequiredWaypoints;
import io.fathom.wire.kube.core.NodeManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;

/// Workloads from pods: those that have an address and have not come to their end.
///
/// There are many of these, so a pod looks at two shared rows only (its namespace and its node), and equal parts of
/// different pods are one object.
public final class PodWorkloads {
    private final Inputs inputs;
    private final Namespaces namespaces;
    private final WorkloadWaypoints waypoints;
    private final WaypointAccess access;
    private final Interner interner;
    private final Table<ObjectKey, List<ServiceMember>> services;
    private final Table<ObjectKey, List<EntryMember>> entries;
    private final Table<ObjectKey, List<SliceTargets.Target>> slices;
    private final Table<ObjectKey, List<String>> policies;
    private final Table<String, Workload> workloads;

    /// What a pod is behind.
    ///
    /// @param entries empty where ServiceEntries do not select pods
    public record Joins(
            Table<ObjectKey, List<ServiceMember>> services,
            Table<ObjectKey, List<EntryMember>> entries,
            Table<ObjectKey, List<SliceTargets.Target>> slices,
            Table<ObjectKey, List<String>> policies) {}

    public PodWorkloads(
            Flow flow,
            Inputs inputs,
            Namespaces namespaces,
            Waypoints waypoints,
            WaypointAccess access,
            Joins joins,
            Interner interner) {
        this.inputs = inputs;
        this.namespaces = namespaces;
        this.waypoints = new WorkloadWaypoints(waypoints);
        this.access = access;
        this.interner = interner;
        services = joins.services();
        entries = joins.entries();
        slices = joins.slices();
        policies = joins.policies();
        var byPod = flow.derive("pods/workloads", inputs.pods(), this::workload);
        workloads = flow.rekey("pods/workloads-by-uid", byPod, (_, workload) -> workload.uid());
    }

    /// The workloads by uid.
    public Table<String, Workload> workloads() {
        return workloads;
    }

    /// What came of a pod's own wish for a waypoint. A pod has no condition to say so in.
    public Attachment attachment(Fetch<ObjectKey> fetch, PodManifest pod) {
        var context = namespaces.context(fetch, pod.key());
        return context.discovered() && WorkloadSources.isServed(pod)
                ? attachment(fetch, pod, context, memberships(fetch, pod))
                : Attachment.nothing();
    }

    private Attachment attachment(
            Fetch<ObjectKey> fetch, PodManifest pod, NamespaceContext context, Memberships memberships) {
        return waypoints.attach(
                fetch, pod.key(), pod.labels(), pod.serviceAccount(), context, gateway(fetch, pod, memberships));
    }

    /// The Gateway that the pod makes work, if any.
    private Optional<ObjectKey> gateway(Fetch<ObjectKey> fetch, PodManifest pod, Memberships memberships) {
        return waypoints
                .instanceOf(fetch, pod.key(), pod.labels())
                .map(Waypoint::key)
                .or(() -> memberships.role().map(GatewayRole::gateway));
    }

    /// The waypoints that calls to the pod must come through. Pods of Gateways are called directly.
    private Optional<RequiredWaypoints> required(
            Fetch<ObjectKey> fetch, PodManifest pod, Memberships memberships, Attachment attachment) {
        return RequiredWaypointPolicies.of(pod.namespace(), memberships, attachment)
                .filter(_ -> gateway(fetch, pod, memberships).isEmpty());
    }

    /// Why plain connections do not go through the pod's waypoint although it says so. Where they must, that is not the
    /// pod's affair.
    public Optional<Problem> hairpinProblem(Fetch<ObjectKey> fetch, PodManifest pod) {
        var context = namespaces.context(fetch, pod.key());
        if (!context.discovered() || !WorkloadSources.isServed(pod)) {
            return Optional.empty();
        }
        var memberships = memberships(fetch, pod);
        var attachment = attachment(fetch, pod, context, memberships);
        return required(fetch, pod, memberships, attachment).isPresent()
                ? Optional.empty()
                : HairpinWish.of(pod.annotations())
                        .problem(
                                pod.key().path(),
                                pod.annotations().getOrDefault(Markers.HAIRPIN, ""),
                                waypoints.of(fetch, attachment));
    }

    private Optional<Workload> workload(Fetch<ObjectKey> fetch, PodManifest pod) {
        return Optional.of(pod)
                .filter(WorkloadSources::isServed)
                .map(served -> namespaces.context(fetch, served.key()))
                .filter(NamespaceContext::discovered)
                .map(context -> workload(fetch, pod, context));
    }

    private Workload workload(Fetch<ObjectKey> fetch, PodManifest pod, NamespaceContext context) {
        var memberships = memberships(fetch, pod);
        var attachment = attachment(fetch, pod, context, memberships);
        var draft = new WorkloadDraft(WorkloadSources.podUid(pod.key()), pod.name(), pod.namespace());
        draft.addresses = pod.ips();
        draft.network = context.network();
        draft.capture(pod.labels(), pod.annotations());
        draft.trustDomain = context.trustDomain();
        draft.serviceAccount = pod.serviceAccount();
        draft.waypoint = attachment.address();
        draft.networkGateway = memberships.isNetworkGateway() ? Optional.empty() : context.networkGateway();
        draft.node = pod.node();
        draft.type = Workload.Type.POD;
        draft.workloadName = interner.share(WorkloadNames.ofPod(pod));
        draft.canonicalName = WorkloadNames.canonicalName(pod.labels(), draft.workloadName);
        draft.canonicalRevision = WorkloadNames.canonicalRevision(pod.labels());
        var required = required(fetch, pod, memberships, attachment);
        draft.authorizationPolicies = EntrancePolicies.append(
                RequiredWaypointPolicies.append(
                        access.append(fetch, fetch.own(policies).orElse(List.of()), memberships, attachment), required),
                context,
                pod.namespace(),
                memberships);
        draft.health = pod.ready() && pod.metadata().lifecycle() == Metadata.Lifecycle.ACTIVE
                ? Workload.Health.HEALTHY
                : Workload.Health.UNHEALTHY;
        draft.clusterId = pod.key().cluster();
        draft.services = interner.share(memberships.services());
        draft.applicationTunnel =
                waypoints.instanceOf(fetch, pod.key(), pod.labels()).flatMap(Waypoint::binding);
        draft.locality = locality(fetch, pod);
        if (required.isPresent() || HairpinWish.of(pod.annotations()) == HairpinWish.ASKED) {
            draft.hairpin = HairpinWish.granted(waypoints.of(fetch, attachment));
        }
        draft.networkMode = pod.hostNetwork() ? Workload.NetworkMode.HOST_NETWORK : Workload.NetworkMode.STANDARD;
        return draft.finish(interner);
    }

    private Memberships memberships(Fetch<ObjectKey> fetch, PodManifest pod) {
        var memberships = new Memberships();
        memberships.add(
                fetch.own(services).orElse(List.of()), ports -> interner.share(TargetPorts.ofPod(ports, pod.ports())));
        memberships.addEntries(
                fetch.own(entries).orElse(List.of()),
                ports -> interner.share(TargetPorts.ofPodInEntry(ports, pod.ports())));
        memberships.add(
                fetch.own(slices).orElse(List.of()).stream()
                        .filter(target -> target.uid().equals(pod.metadata().uid()))
                        .map(SliceTargets.Target::service)
                        .toList(),
                ports -> interner.share(TargetPorts.ofPod(ports, pod.ports())));
        return memberships;
    }

    private Locality locality(Fetch<ObjectKey> fetch, PodManifest pod) {
        return pod.node().isEmpty()
                ? Locality.NONE
                : fetch.one(inputs.nodes(), Keys.clusterWide(pod.key(), pod.node()))
                        .map(NodeManifest::locality)
                        .orElse(Locality.NONE);
    }
}
