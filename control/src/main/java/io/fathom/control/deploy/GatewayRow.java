// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.base.lang.Problem;
import io.fathom.control.gateway.GatewayVerdict;
import io.fathom.control.gateway.ListenerKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// All that the deployment and the status of a Gateway of ours depend on, as far as the mesh knows it, at one moment.
///
/// @param revision that the Gateway, or else its namespace, is labelled for
/// @param network of its cluster
/// @param proxies whether one of them is ready
/// @param service that leads to its proxies
/// @param unknown host names among its addresses that are of no Service
/// @param foreign what stands in the way of its own Service
/// @param attached how many routes its listeners take
record GatewayRow(
        GatewayVerdict verdict,
        Optional<String> revision,
        String network,
        ProxyPresence proxies,
        Optional<ServiceView> service,
        List<String> unknown,
        Optional<Problem> foreign,
        Map<ListenerKey, Integer> attached) {
    GatewayRow {
        unknown = List.copyOf(unknown);
        attached = Map.copyOf(attached);
    }

    enum ProxyPresence {
        READY,
        NOT_READY,
        /// Nobody says that there are some.
        NONE
    }

    int attached(ListenerKey listener) {
        return attached.getOrDefault(listener, 0);
    }
}
