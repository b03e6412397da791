// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.zds;

import java.time.Duration;

/// How proxies are served.
///
/// @param betweenAccepts a proxy that dials in a loop must not starve the others
/// @param idle after so much silence it is checked whether a proxy is still there
/// @param keeping of listeners while no proxy is connected: whoever connects waits so long, and is refused afterwards
/// @param patience with the answer to one request, which may have to wait for the snapshot
public record ProxyServerConfig(Duration betweenAccepts, Duration idle, Duration keeping, Duration patience) {
    public static final ProxyServerConfig DEFAULT = new ProxyServerConfig(
            Duration.ofMillis(200), Duration.ofSeconds(1), Duration.ofSeconds(60), Duration.ofSeconds(15));
}
