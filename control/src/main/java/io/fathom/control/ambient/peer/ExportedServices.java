// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.peer;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.ambient.input.ServiceSharing;
import io.fathom.control.ambient.network.MultiNetwork;
import io.fathom.control.ambient.service.KubeServices;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.ExportedService;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.model.peering.ServiceSummary.LocalityShare;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// What we tell other clusters: a summary of each service that they may call, while there are several networks. A
/// service that is not shared is never mentioned, nor is any pod.
public final class ExportedServices {
    private static final Comparator<Locality> BY_PLACE =
            Comparator.comparing(Locality::region).thenComparing(Locality::zone).thenComparing(Locality::subzone);

    /// An endpoint of shared services.
    private record Member(Set<String> services, Locality locality, int capacity, boolean ready, String account) {}

    private final KubeServices services;
    private final Table<String, List<Port>> shared;
    private final Table<ObjectKey, GatewayManifest> gateways;
    private final Table<ObjectKey, ServiceSharing> sharing;
    private final Table<ObjectKey, ExportedService> exports;
    private final Index<String, String, Member> members;
    private final Table<ObjectKey, ServiceSummary> table;

    /// @param inputs the objects of our cluster
    /// @param exports what ServiceExports export
    /// @param shared the ports of services that others may call, by resource name
    /// @param workloads those of our cluster
    public ExportedServices(
            Flow flow,
            Inputs inputs,
            Table<ObjectKey, ExportedService> exports,
            KubeServices services,
            Table<String, List<Port>> shared,
            Table<String, Workload> workloads,
            MultiNetwork networks) {
        this.services = services;
        this.shared = shared;
        this.gateways = inputs.gateways();
        this.sharing = inputs.sharing();
        this.exports = exports;
        var endpoints = flow.derive(
                "exported/endpoints",
                workloads,
                (fetch, workload) -> workload.services().isEmpty() || !networks.isOn(fetch)
                        ? Optional.<Member>empty()
                        : member(fetch, workload));
        members = flow.index("exported/members", endpoints, Member::services);
        table = flow.derive("exported", inputs.services(), (fetch, service) -> summary(fetch, service, networks));
    }

    /// Whether an endpoint of our own cluster is ready.
    ///
    /// @param service by its resource name; one that others may call
    public boolean isReady(Fetch<?> fetch, String service) {
        return fetch.all(members, service).stream().anyMatch(Member::ready);
    }

    public Table<ObjectKey, ServiceSummary> table() {
        return table;
    }

    private Optional<Member> member(Fetch<?> fetch, Workload workload) {
        var keys = new TreeSet<String>();
        workload.services().keySet().stream()
                .filter(key -> fetch.one(shared, key).isPresent())
                .forEach(keys::add);
        return keys.isEmpty()
                ? Optional.empty()
                : Optional.of(new Member(
                        keys,
                        workload.locality(),
                        Math.max(1, workload.capacity()),
                        workload.health() == Workload.Health.HEALTHY,
                        account(workload.namespace(), workload.serviceAccount())));
    }

    private Optional<ServiceSummary> summary(Fetch<ObjectKey> fetch, ServiceManifest service, MultiNetwork networks) {
        var key = services.keyOf(service);
        var ports = fetch.one(shared, key);
        if (ports.isEmpty() || !networks.isOn(fetch)) {
            return Optional.empty();
        }
        var found = fetch.all(members, key);
        var ready = new TreeMap<Locality, Integer>(BY_PLACE);
        var accounts = new TreeSet<String>();
        var total = 0;
        for (var member : found) {
            total += member.capacity();
            accounts.add(member.account());
            if (member.ready()) {
                ready.merge(member.locality(), member.capacity(), Integer::sum);
            }
        }
        services.waypoint(fetch).ifPresent(waypoint -> accounts.add(account(fetch, waypoint)));
        return Optional.of(new ServiceSummary(
                service.namespace(),
                service.name(),
                ports.get(),
                shares(ready),
                total,
                List.copyOf(accounts),
                fetch.own(sharing).filter(ServiceSharing::withKubernetesName).isPresent()
                        ? ServiceSummary.NameScope.BOTH_NAMES
                        : ServiceSummary.NameScope.MESH_NAME,
                distribution(service),
                fetch.own(exports)));
    }

    /// A word that means nothing is told nobody: they would have to refuse it.
    private static String distribution(ServiceManifest service) {
        var written = MeshWideServices.distribution(service);
        return written.matches("[A-Za-z]{0,63}") ? written : "";
    }

    /// Whoever stands in front of a service answers for it.
    private String account(Fetch<?> fetch, ObjectKey waypoint) {
        var named = fetch.one(gateways, waypoint)
                .map(gateway -> gateway.annotations().get(Markers.GATEWAY_SERVICE_ACCOUNT));
        return account(waypoint.namespace(), named.orElse(waypoint.name()));
    }

    private static String account(String namespace, String account) {
        return namespace + "/" + (account.isEmpty() ? "default" : account);
    }

    private static List<LocalityShare> shares(Map<Locality, Integer> ready) {
        return ready.entrySet().stream()
                .map(entry -> new LocalityShare(entry.getKey(), entry.getValue()))
                .toList();
    }
}
