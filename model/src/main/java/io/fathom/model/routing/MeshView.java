// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.base.flow.PersistentMap;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.PolicySet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The mesh at one moment, as a node proxy knows it: all of one response, or nothing of it. Immutable, safe on any
/// thread; views share what did not change between them. Made by a [MeshStore].
public final class MeshView {
    private final WorkloadIndex workloads;
    private final ServiceIndex names;
    private final PersistentMap<String, Backends> services;
    private final PolicySet policies;

    MeshView(
            WorkloadIndex workloads, ServiceIndex names, PersistentMap<String, Backends> services, PolicySet policies) {
        this.workloads = workloads;
        this.names = names;
        this.services = services;
        this.policies = policies;
    }

    static MeshView empty(Optional<String> node) {
        return new MeshView(WorkloadIndex.empty(node), ServiceIndex.EMPTY, PersistentMap.empty(), PolicySet.EMPTY);
    }

    WorkloadIndex workloadIndex() {
        return workloads;
    }

    ServiceIndex serviceIndex() {
        return names;
    }

    PersistentMap<String, Backends> services() {
        return services;
    }

    public PolicySet policies() {
        return policies;
    }

    public Optional<Workload> workload(String uid) {
        return workloads.byUid().find(uid).map(Member::workload);
    }

    /// The best claimant of an address; workloads on their host's network are never found by address.
    public Optional<Workload> workloadAt(String network, Ip ip) {
        return Optional.ofNullable(workloads.at(network, ip)).map(Member::workload);
    }

    /// A workload of this node by what the pod says about itself.
    public Optional<Workload> localWorkload(String namespace, String name, String serviceAccount) {
        return Optional.ofNullable(workloads.local(namespace, name, serviceAccount))
                .map(Member::workload);
    }

    public void forEachLocalWorkload(Consumer<Workload> action) {
        workloads.local().forEach((_, members) -> members.list().forEach(member -> action.accept(member.workload())));
    }

    public void forEachWorkload(Consumer<Workload> action) {
        workloads.byUid().forEach((_, member) -> action.accept(member.workload()));
    }

    public int workloadCount() {
        return workloads.byUid().size();
    }

    /// By `namespace/hostname`.
    public Optional<Service> service(String key) {
        return services.find(key).flatMap(Backends::known);
    }

    /// The service that an address means to clients in a namespace: one visible to them, in their own namespace, else
    /// the canonical one, else any; if none has the address itself, one whose range holds it.
    public Optional<Service> serviceAt(String network, Ip ip, String clientNamespace) {
        return Optional.ofNullable(at(network, ip, Optional.of(clientNamespace)))
                .flatMap(Backends::known);
    }

    /// As [#serviceAt], but with no client whose view would count: all services are visible.
    public Optional<Service> serviceAt(String network, Ip ip) {
        return Optional.ofNullable(at(network, ip, Optional.empty())).flatMap(Backends::known);
    }

    /// All services that an address may mean, to whichever client.
    public List<Service> servicesAt(String network, Ip ip) {
        return allAt(network, ip).stream()
                .flatMap(backends -> backends.known().stream())
                .toList();
    }

    /// The service that a hostname means to clients in a namespace.
    public Optional<Service> serviceNamed(String hostname, String clientNamespace) {
        return Optional.ofNullable(best(names.named(hostname), Optional.of(clientNamespace)))
                .flatMap(Backends::known);
    }

    /// All services of a hostname, one for each namespace that has it, visible or not.
    public List<Service> servicesNamed(String hostname) {
        return names.named(hostname).stream()
                .flatMap(key -> service(key).stream())
                .toList();
    }

    /// What an address means: a workload before a service.
    public Optional<Address> lookup(String network, Ip ip, String clientNamespace) {
        return workloadAt(network, ip)
                .<Address>map(workload -> workload)
                .or(() -> serviceAt(network, ip, clientNamespace));
    }

    public void forEachService(Consumer<Service> action) {
        services.forEach((_, backends) -> backends.known().ifPresent(action));
    }

    public int serviceCount() {
        var count = new int[1];
        forEachService(_ -> count[0]++);
        return count[0];
    }

    /// The workloads that say they are behind a service, sorted by uid; those the service may use because of their
    /// health. Of a service that is not known yet: all.
    public List<Workload> endpoints(String serviceKey) {
        var backends = services.get(serviceKey);
        return backends == null
                ? List.of()
                : Arrays.stream(backends.members)
                        .filter(member ->
                                backends.service == null || Eligible.healthy(member, backends.service.loadBalancing()))
                        .sorted(Comparator.comparing(member -> member.uid))
                        .map(Member::workload)
                        .toList();
    }

    /// Keys of services that are not known, though workloads say they are behind them.
    public List<String> stagedServices() {
        var keys = new ArrayList<String>();
        services.forEach((key, backends) -> {
            if (backends.service == null) {
                keys.add(key);
            }
        });
        keys.sort(Comparator.naturalOrder());
        return keys;
    }

    @Nullable
    Backends backends(String serviceKey) {
        return services.get(serviceKey);
    }

    @Nullable
    Backends at(String network, Ip ip, Optional<String> clientNamespace) {
        var exact = best(names.at(network, ip), clientNamespace);
        return exact == null ? around(network, ip, clientNamespace) : exact;
    }

    /// All services that have the address, or a range with it, whoever asks.
    List<Backends> allAt(String network, Ip ip) {
        var keys = new ArrayList<>(names.at(network, ip));
        var lengths = names.lengths();
        for (var length = lengths.below(ip.family(), ip.family().bits()); length >= 0; ) {
            keys.addAll(names.around(network, ip, length));
            length = lengths.below(ip.family(), length);
        }
        return keys.stream().map(services::get).filter(Objects::nonNull).toList();
    }

    /// The client's namespace counts more than the length of the prefix, and that more than being canonical.
    private @Nullable Backends around(String network, Ip ip, Optional<String> clientNamespace) {
        var lengths = names.lengths();
        @Nullable Backends best = null;
        for (var length = lengths.below(ip.family(), ip.family().bits()); length >= 0; ) {
            var found = best(names.around(network, ip, length), clientNamespace);
            if (found != null && isIn(found, clientNamespace)) {
                return found;
            }
            best = best == null ? found : best;
            length = lengths.below(ip.family(), length);
        }
        return best;
    }

    @Nullable
    Backends best(List<String> keys, Optional<String> clientNamespace) {
        @Nullable Backends best = null;
        for (var key : keys) {
            var candidate = services.get(key);
            if (candidate == null || candidate.service == null || !isVisible(candidate.service, clientNamespace)) {
                continue;
            }
            if (isIn(candidate, clientNamespace)) {
                return candidate;
            }
            if (best == null || (isCanonical(candidate) && !isCanonical(best))) {
                best = candidate;
            }
        }
        return best;
    }

    private static boolean isVisible(Service service, Optional<String> clientNamespace) {
        return service.visibility() == Service.Visibility.PUBLIC
                || clientNamespace.isEmpty()
                || clientNamespace.get().equals(service.namespace());
    }

    private static boolean isIn(Backends backends, Optional<String> namespace) {
        return namespace.isPresent()
                && backends.service != null
                && backends.service.namespace().equals(namespace.get());
    }

    private static boolean isCanonical(Backends backends) {
        return backends.service != null && backends.service.canonical() == Service.Canonical.YES;
    }
}
