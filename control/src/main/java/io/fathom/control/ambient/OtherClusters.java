// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Labels;
import io.fathom.base.flow.Selector;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Interner;
import io.fathom.control.ambient.input.ServiceSharing;
import io.fathom.control.ambient.input.WorkloadSources;
import io.fathom.control.ambient.network.NetworkGateways;
import io.fathom.control.ambient.network.Networks;
import io.fathom.control.ambient.network.RemoteEndpoints;
import io.fathom.control.ambient.policy.WaypointAccess;
import io.fathom.control.ambient.service.GatewayServices;
import io.fathom.control.ambient.service.KubeServices;
import io.fathom.control.ambient.service.MemberAccounts;
import io.fathom.control.ambient.service.ServiceAttachments;
import io.fathom.control.ambient.service.SliceTargets;
import io.fathom.control.ambient.waypoint.Namespaces;
import io.fathom.control.ambient.waypoint.Waypoints;
import io.fathom.control.ambient.workload.PodWorkloads;
import io.fathom.control.ambient.workload.SliceWorkloads;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.ExportedService;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What other clusters bring into the mesh: the derivations of our own cluster once more, over the objects of all
/// others together. Their pods are behind the Services of their own cluster; policies are left out, since a pod is
/// guarded by what its own control plane says.
final class OtherClusters {
    private final KubeServices kubeServices;
    private final Inputs inputs;
    private final Table<String, Workload> workloads;
    private final Index<String, ObjectKey, Service> services;
    private final Table<String, ServiceManifest> manifests;
    private final Table<String, Map<String, String>> labels;

    /// @param exports what those clusters export
    OtherClusters(
            Flow flow,
            Inputs inputs,
            Networks networks,
            NetworkGateways gateways,
            Table<ObjectKey, ExportedService> exports,
            AmbientConfig config,
            Interner interner) {
        this.inputs = inputs;
        var waypoints = new Waypoints(flow, inputs, networks, config, Waypoints.Enforced.ELSEWHERE);
        var namespaces =
                new Namespaces(flow, inputs, networks, gateways, flow.source("remote/no-entrances"), waypoints, config);
        var podLabels = flow.labels("remote/pods/labels", inputs.pods(), OtherClusters::labels);
        var entryLabels = flow.labels(
                "remote/workload-entries/labels",
                inputs.workloadEntries(),
                entry -> new Labels<>(scope(entry.key()), Map.of()));
        var attachments = new ServiceAttachments(
                waypoints, new MemberAccounts(flow, inputs, waypoints, podLabels, entryLabels, config));
        kubeServices = new KubeServices(
                flow,
                inputs,
                networks,
                namespaces,
                attachments,
                GatewayServices.none(flow, inputs, config),
                exports,
                config,
                interner);
        var selected = flow.select(
                "remote/pods/services",
                podLabels,
                kubeServices.members(),
                service -> Optional.of(new Selector<>(
                        Optional.of(scope(service.cluster(), service.namespace())), service.selector())));
        var pods = new PodWorkloads(
                flow,
                inputs,
                namespaces,
                waypoints,
                new WaypointAccess(
                        flow,
                        inputs,
                        waypoints,
                        flow.index("remote/pods/by-gateway", inputs.pods(), _ -> Set.of()),
                        config.without(Feature.AUTO_ALLOW_WAYPOINT)),
                new PodWorkloads.Joins(
                        selected,
                        flow.source("remote/pods/service-entries"),
                        new SliceTargets(flow, inputs, kubeServices).byPod(),
                        flow.source("remote/pods/policies")),
                interner);
        var slices = new SliceWorkloads(flow, inputs, namespaces, kubeServices, interner);
        workloads = flow.join("remote/workloads", List.of(pods.workloads(), slices.workloads()));
        services = flow.index(
                "remote/services/by-name",
                flow.derive(
                        "remote/services/by-kubernetes-name",
                        kubeServices.byManifest(flow, inputs, RemoteEndpoints.none(networks, config)),
                        (fetch, service) -> fetch.own(inputs.sharing())
                                .filter(ServiceSharing::withKubernetesName)
                                .map(_ -> service)),
                service -> Set.of(service.key()));
        manifests = flow.deriveMany(
                "remote/services/by-resource",
                inputs.services(),
                (fetch, service) -> fetch.own(inputs.sharing())
                                .filter(ServiceSharing::withKubernetesName)
                                .isPresent()
                        ? Map.of(kubeServices.keyOf(service), service)
                        : Map.of());
        labels = flow.rekey(
                "remote/pods/labels-by-uid",
                flow.derive("remote/pods/labels-alone", inputs.pods(), (fetch, pod) -> Optional.of(pod.labels())),
                (key, _) -> WorkloadSources.podUid(key));
    }

    /// By uid, each as it is there; behind global services only.
    Table<String, Workload> workloads() {
        return workloads;
    }

    /// Those whose name in Kubernetes means all clusters, each as its own cluster has it, by resource name.
    Index<String, ObjectKey, Service> services() {
        return services;
    }

    /// The ports of global services by resource name. Of several clusters the first by name counts.
    Table<String, List<Port>> global(Flow flow) {
        return kubeServices.global(flow, inputs);
    }

    /// The objects behind those names. Of several clusters the first by name counts.
    Table<String, ServiceManifest> manifests() {
        return manifests;
    }

    /// The labels of pods by uid.
    Table<String, Map<String, String>> labels() {
        return labels;
    }

    /// The services that only other clusters have. Of several clusters the first by name says what they are like.
    ///
    /// @param here what our own cluster has; it counts where there is both
    Table<String, Service> served(Flow flow, RemoteEndpoints remote, List<Table<String, Service>> here) {
        return flow.reduce("remote/services/served", services, (fetch, key, found) -> {
            if (here.stream().anyMatch(table -> fetch.one(table, key).isPresent())) {
                return Optional.empty();
            }
            var first = found.getFirst();
            var addresses = found.size() == 1 ? first.addresses() : remote.merged(fetch, key, List.of());
            return Optional.of(first.shared(addresses, remote.identities(fetch, key)));
        });
    }

    private static Labels<String> labels(PodManifest pod) {
        return new Labels<>(scope(pod.key()), pod.labels());
    }

    private static String scope(ObjectKey object) {
        return scope(object.cluster(), object.namespace());
    }

    /// Selectors reach no further than a namespace of one cluster.
    private static String scope(String cluster, String namespace) {
        return cluster + "/" + namespace;
    }
}
