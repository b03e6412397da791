// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import java.util.Set;

/// The proxy's own ports: traffic to them must never be proxied, or it would come back for ever.
public record ProxyPorts(Set<Integer> illegal) {
    /// Where workloads take HBONE.
    public static final int HBONE = 15008;

    public static final ProxyPorts DEFAULT = new ProxyPorts(Set.of(15001, 15006, HBONE));

    public static final ProxyPorts WITH_SOCKS5 = new ProxyPorts(Set.of(15001, 15006, HBONE, 15080));

    public ProxyPorts {
        illegal = Set.copyOf(illegal);
    }
}
