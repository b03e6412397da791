// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Selector;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.ambient.input.WorkloadSources;
import io.fathom.control.envoy.cluster.Capture;
import io.fathom.control.envoy.cluster.ProxyLocation;
import io.fathom.control.envoy.cluster.SecretSource;
import io.fathom.control.envoy.ingress.Topology;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.waypoint.WaypointSettings;
import io.fathom.control.envoy.waypoint.WaypointSettings.ClientIdentity;
import io.fathom.control.envoy.waypoint.WaypointSettings.Workloads;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.IstioGatewayManifest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Proxies that Istio Gateways select and no Gateway of the Gateway API runs. Those with equal labels are configured
/// alike.
final class SelectedProxies {
    /// What differs from one pod of a workload to the next.
    private static final Set<String> OF_ONE_POD = Set.of(
            "pod-template-hash",
            "controller-revision-hash",
            "statefulset.kubernetes.io/pod-name",
            "apps.kubernetes.io/pod-index");

    /// A pod that proxies.
    private record Proxy(ObjectKey group, PodManifest pod) {}

    private final MeshFlow mesh;
    private final Table<ObjectKey, Group> table;
    private final Table<ObjectKey, Set<String>> accounts;
    private final Table<ObjectKey, Map<String, ProxyLocation>> vantages;

    SelectedProxies(MeshFlow mesh) {
        this.mesh = mesh;
        var flow = mesh.flow();
        var selected = mesh.selectPods(
                "envoy/selected-pods",
                mesh.manifests(IstioGatewayManifest.class),
                gateway -> new Selector<>(Optional.empty(), gateway.selector()));
        var proxies = flow.derive(
                "envoy/selected-proxies",
                selected,
                (fetch, gateways) -> fetch.own(mesh.manifests(PodManifest.class))
                        .filter(pod -> !pod.labels().containsKey(Groups.GATEWAY_NAME))
                        .map(pod -> new Proxy(key(pod.key().cluster(), pod.namespace(), pod.labels()), pod)));
        var byGroup = flow.index("envoy/selected-proxies-by-group", proxies, proxy -> Set.of(proxy.group()));
        table = flow.reduce(
                "envoy/selected-groups", byGroup, (fetch, group, members) -> Optional.of(group(fetch, group, members)));
        accounts = flow.reduce(
                "envoy/accounts-of-selected",
                byGroup,
                (fetch, group, members) -> Optional.of(
                        Groups.accounts(members.stream().map(Proxy::pod).toList())));
        vantages = flow.reduce(
                "envoy/selected-vantages", byGroup, (fetch, group, members) -> Optional.of(vantages(fetch, members)));
    }

    /// The service accounts that they run with.
    Table<ObjectKey, Set<String>> accounts() {
        return accounts;
    }

    /// Where they stand; a proxy that is not known yet has the one under an empty name.
    Table<ObjectKey, Map<String, ProxyLocation>> vantages() {
        return vantages;
    }

    Table<ObjectKey, Group> table() {
        return table;
    }

    /// Names the group of proxies with such labels; no Gateway has such a name.
    static ObjectKey key(String cluster, String namespace, Map<String, String> labels) {
        var text = own(labels).entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(","));
        return new ObjectKey(cluster, namespace, "pods with " + text);
    }

    /// Without those of one pod.
    static Map<String, String> own(Map<String, String> labels) {
        var result = new TreeMap<>(labels);
        result.keySet().removeAll(OF_ONE_POD);
        return result;
    }

    private Group group(Fetch<?> fetch, ObjectKey key, List<Proxy> members) {
        var pod = members.getFirst().pod();
        var network = mesh.network(fetch, pod.key());
        var families = EnumSet.noneOf(Ip.Family.class);
        members.forEach(member -> member.pod().ips().forEach(ip -> families.add(ip.family())));
        if (families.isEmpty()) {
            families.add(Ip.Family.V4);
        }
        var settings = mesh.settings(fetch);
        var trustDomains = new ArrayList<>(List.of(settings.trustDomain()));
        trustDomains.addAll(settings.trustDomainAliases());
        return new Group(
                new ProxyGroup(ProxyRole.INGRESS, key, own(pod.labels()), network),
                withoutListeners(key, pod),
                new WaypointSettings(
                        trustDomains,
                        network,
                        families,
                        ClientIdentity.WITHHELD,
                        Workloads.NOT_SERVED,
                        settings.traffic(),
                        SecretSource.COMPANION,
                        mesh.trust().ofProxies(fetch),
                        mesh.config().keyExchange()),
                Capture.of(workloads(fetch, members).values()));
    }

    /// Those of pods that the mesh knows.
    private Map<PodManifest, Workload> workloads(Fetch<?> fetch, List<Proxy> members) {
        var result = new LinkedHashMap<PodManifest, Workload>();
        for (var member : members) {
            if (fetch.one(mesh.addresses(), WorkloadSources.podUid(member.pod().key()))
                            .orElse(null)
                    instanceof Workload workload) {
                result.put(member.pod(), workload);
            }
        }
        return result;
    }

    private Map<String, ProxyLocation> vantages(Fetch<?> fetch, List<Proxy> members) {
        var result = new LinkedHashMap<String, ProxyLocation>();
        result.put(
                "",
                ProxyLocation.on(mesh.network(fetch, members.getFirst().pod().key())));
        workloads(fetch, members)
                .forEach((pod, workload) -> result.put(workload.uid(), ProxyLocation.of(workload, pod.labels())));
        return result;
    }

    /// Stands for the Gateway that they do not have.
    private static GatewayManifest withoutListeners(ObjectKey key, PodManifest pod) {
        var config = pod.annotations().get(Topology.ANNOTATION);
        return new GatewayManifest(
                new Metadata(
                        key,
                        "",
                        Map.of(),
                        config == null ? Map.of() : Map.of(Topology.ANNOTATION, config),
                        Instant.EPOCH,
                        Metadata.Lifecycle.ACTIVE),
                "istio",
                List.of(),
                List.of(),
                List.of());
    }
}
