// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.Optional;

/// How traffic is handed to a workload.
public record WorkloadTunnel(
        Workload.TunnelProtocol protocol,
        Workload.NativeTunnel nativeTunnel,
        Optional<Workload.ApplicationTunnel> application) {

    /// Without a tunnel of its own, or one for its application.
    public static WorkloadTunnel of(Workload.TunnelProtocol protocol) {
        return new WorkloadTunnel(protocol, Workload.NativeTunnel.NO, Optional.empty());
    }
}
