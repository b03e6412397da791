// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.model.routing.Load;
import java.util.concurrent.ConcurrentHashMap;

/// Counts the open connections of this node to each endpoint, for the balancer. Safe on any thread; endpoints without
/// connections take no memory.
public final class EndpointLoad implements Load {
    private final ConcurrentHashMap<String, Integer> open = new ConcurrentHashMap<>();

    private final FailedGateways gateways = new FailedGateways(System::nanoTime);

    /// Those that had better be left alone for now.
    public FailedGateways gateways() {
        return gateways;
    }

    @Override
    public int of(String workloadUid) {
        return open.getOrDefault(workloadUid, 0);
    }

    public void opened(String workloadUid) {
        open.merge(workloadUid, 1, Integer::sum);
    }

    public void closed(String workloadUid) {
        open.computeIfPresent(workloadUid, (uid, count) -> count == 1 ? null : count - 1);
    }
}
