// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.control.envoy.view.MeshService;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
import java.util.List;

/// Where a port of a service leads at one of its members.
final class TargetPort {
    private TargetPort() {}

    /// The member's own word, else that of the service; 0 when the member does not have the port.
    static int of(Workload workload, MeshService service, int port) {
        var own = target(workload.services().getOrDefault(service.service().key(), List.of()), port);
        return own > 0 ? own : target(service.service().ports(), port);
    }

    private static int target(List<Port> ports, int port) {
        for (var candidate : ports) {
            if (candidate.servicePort() == port) {
                return candidate.targetPort();
            }
        }
        return 0;
    }
}
