// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import java.util.List;
import java.util.Optional;

/// Guesses which service a client called, for telemetry: the destination alone does not say.
final class CalledService {
    private CalledService() {}

    /// The one the client says, if the workload is behind it; else the first of the workload's that leads to the port.
    static Optional<Service> guess(MeshView view, Workload local, Optional<String> saidHost, int port) {
        if (local.services().isEmpty()) {
            return Optional.empty();
        }
        var services = local.services().keySet().stream()
                .sorted()
                .flatMap(key -> view.service(key).stream())
                .toList();
        return services.stream()
                .filter(service -> saidHost.isPresent() && saidHost.get().equals(service.hostname()))
                .findFirst()
                .or(() -> services.stream()
                        .filter(service -> leadsTo(service, local, port))
                        .findFirst());
    }

    private static boolean leadsTo(Service service, Workload local, int port) {
        return local.services().getOrDefault(service.key(), List.of()).stream()
                        .anyMatch(own -> own.targetPort() == port)
                || service.ports().stream().anyMatch(general -> general.targetPort() == port);
    }
}
