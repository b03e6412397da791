// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.MeshView;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Names of single pods, as far as the mesh knows them: `pod.service.namespace.svc.domain` and
/// `10-0-0-1.service.namespace.svc.domain` behind a headless service, as for a StatefulSet, and
/// `10-0-0-1.namespace.pod.domain`. Pure.
final class PodNames {
    private final String serviceSuffix;
    private final String podSuffix;

    PodNames(DnsConfig config) {
        this.serviceSuffix = "." + config.serviceDomain();
        this.podSuffix = ".pod." + config.clusterDomain();
    }

    /// All addresses of the pod; empty if none of that name is known.
    ///
    /// @param services what hostnames mean to the client
    Optional<List<Ip>> find(
            MeshView view, DnsClient client, String name, Function<String, Optional<Service>> services) {
        if (name.endsWith(serviceSuffix)) {
            return behindService(view, name, services);
        }
        if (name.endsWith(podSuffix)) {
            return byAddress(view, client, name.substring(0, name.length() - podSuffix.length()));
        }
        return Optional.empty();
    }

    private Optional<List<Ip>> behindService(MeshView view, String name, Function<String, Optional<Service>> services) {
        var dot = name.indexOf('.');
        var service = name.substring(dot + 1);
        if (service.length() <= serviceSuffix.length() || dot <= 0) {
            return Optional.empty();
        }
        var host = name.substring(0, dot);
        return services.apply(service)
                .filter(headless -> DnsAnswerer.vips(headless).isEmpty())
                .flatMap(headless -> view.endpoints(headless.key()).stream()
                        .filter(workload -> workload.name().equals(host) || hasAddress(workload, host))
                        .map(Workload::addresses)
                        .findFirst());
    }

    private static boolean hasAddress(Workload workload, String host) {
        return address(host).filter(workload.addresses()::contains).isPresent();
    }

    private static Optional<List<Ip>> byAddress(MeshView view, DnsClient client, String name) {
        var dot = name.indexOf('.');
        if (dot < 0) {
            return Optional.empty();
        }
        return address(name.substring(0, dot))
                .filter(ip -> view.workloadAt(client.network(), ip)
                        .filter(workload -> workload.namespace().equals(name.substring(dot + 1)))
                        .isPresent())
                .map(List::of);
    }

    /// With dashes for dots or colons.
    private static Optional<Ip> address(String label) {
        return Ip.parse(label.replace('-', '.')).or(() -> Ip.parse(label.replace('-', ':')));
    }
}
