// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import io.fathom.model.mesh.Ip;
import io.fathom.model.routing.ProxyPorts;
import java.util.OptionalInt;

/// Where a pod's proxy listens. What is absent is not served.
///
/// @param bind usually the wildcard of IPv6, which takes IPv4 as well
public record PodPorts(Ip bind, OptionalInt outbound, OptionalInt captured, OptionalInt hbone, OptionalInt socks) {
    private static final int OUTBOUND = 15001;
    private static final int CAPTURED = 15006;
    private static final int SOCKS = 15080;

    /// All but SOCKS.
    public static PodPorts standard(Ip bind) {
        return new PodPorts(
                bind,
                OptionalInt.of(OUTBOUND),
                OptionalInt.of(CAPTURED),
                OptionalInt.of(ProxyPorts.HBONE),
                OptionalInt.empty());
    }

    public PodPorts withSocks() {
        return new PodPorts(bind, outbound, captured, hbone, OptionalInt.of(SOCKS));
    }

    /// For a pod whose traffic is left alone.
    public static PodPorts none(Ip bind) {
        return new PodPorts(bind, OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty());
    }

    /// For the node proxy's own namespace, where it is a workload like others.
    public static PodPorts hboneOnly(Ip bind) {
        return new PodPorts(
                bind, OptionalInt.empty(), OptionalInt.empty(), OptionalInt.of(ProxyPorts.HBONE), OptionalInt.empty());
    }
}
