// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.MeshView;
import io.fathom.wire.xds.client.Unneeded;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Finds out what a node that asks on demand still needs: what was asked for of late, the workloads behind such
/// services, everybody's waypoints and network gateways, and the workloads of the node itself. Used once.
final class NeededNames {
    private final MeshView view;
    private final Set<String> services = new HashSet<>();
    private final Set<String> workloads = new HashSet<>();

    private NeededNames(MeshView view) {
        this.view = view;
    }

    /// What can go. A key that was not used stays as long as what it stands for is needed for another reason.
    static Unneeded without(MeshView view, Set<String> used, Set<String> idle) {
        var needed = new NeededNames(view);
        view.forEachLocalWorkload(needed::workload);
        used.forEach(needed::key);
        var unused = new HashSet<>(idle);
        do {
            needed.members();
        } while (needed.keepNeeded(unused));
        var names = new ArrayList<String>();
        view.forEachService(service -> {
            if (!needed.services.contains(service.resourceName())) {
                names.add(service.resourceName());
            }
        });
        view.forEachWorkload(workload -> {
            if (!needed.workloads.contains(workload.uid())) {
                names.add(workload.uid());
            }
        });
        return new Unneeded(unused, names);
    }

    /// Takes out of the unused keys those whose resources are needed. True if that made more needed.
    private boolean keepNeeded(Set<String> unused) {
        var before = services.size() + workloads.size();
        var kept = unused.stream()
                .filter(key -> servicesOf(key).stream().anyMatch(service -> services.contains(service.resourceName()))
                        || workloadsOf(key).stream().anyMatch(workload -> workloads.contains(workload.uid())))
                .toList();
        kept.forEach(unused::remove);
        kept.forEach(this::key);
        return services.size() + workloads.size() > before;
    }

    private void members() {
        view.forEachWorkload(workload -> {
            if (workload.services().keySet().stream().anyMatch(services::contains)) {
                workload(workload);
            }
        });
    }

    private void key(String key) {
        servicesOf(key).forEach(this::service);
        workloadsOf(key).forEach(this::workload);
    }

    private void service(Service service) {
        if (services.add(service.resourceName())) {
            service.waypoint().ifPresent(this::gateway);
            service.weightedWaypoints().forEach(weighted -> gateway(weighted.destination()));
        }
    }

    private void workload(Workload workload) {
        if (workloads.add(workload.uid())) {
            workload.waypoint().ifPresent(this::gateway);
            workload.networkGateway().ifPresent(this::gateway);
        }
    }

    private void gateway(GatewayAddress address) {
        key(address.lookupKey());
    }

    private List<Service> servicesOf(String key) {
        var found = new ArrayList<>(view.service(key).stream().toList());
        ip(key).ifPresent(ip -> found.addAll(view.servicesAt(network(key), ip)));
        return found;
    }

    private List<Workload> workloadsOf(String key) {
        var found = new ArrayList<>(view.workload(key).stream().toList());
        ip(key).flatMap(ip -> view.workloadAt(network(key), ip)).ifPresent(found::add);
        return found;
    }

    private static Optional<Ip> ip(String key) {
        return Ip.parse(key.substring(key.lastIndexOf('/') + 1));
    }

    private static String network(String key) {
        return key.substring(0, Math.max(key.lastIndexOf('/'), 0));
    }
}
