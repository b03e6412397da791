package io.fathom.node.proxy.outbound;

import io.fathom.model.routing.Load;
import java.util.concurrent.ConcurrentHashMap;

/// Counts the open connections of this node to each endpoint, for the balancer. Safe on any thread; endpoints without
/// connections take no memory.
public final class EndpointLoad implements Load {
    private final ConcurrentHashMap<String, Integer> open = new ConcurrentHashMap<>();

    @Override
    public int of(String workloadUid) {
        return open.getOrDefault(workloadUid, 0);
    }

    void opened(String workloadUid) {
        open.merge(workloadUid, 1, Integer::sum);
    }

    void closed(String workloadUid) {
        open.computeIfPresent(workloadUid, (uid, count) -> count == 1 ? null : count - 1);
    }
}
