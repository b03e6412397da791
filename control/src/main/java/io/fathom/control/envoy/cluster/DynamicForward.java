package io.fathom.control.envoy.cluster;

import io.envoyproxy.envoy.extensions.common.dynamic_forward_proxy.v3.DnsCacheConfig;

/// What clusters that look up the host of each request share with the filter before them.
public final class DynamicForward {
    private DynamicForward() {}

    /// For filter `dynamic_forward_proxy`: it must be the very one that the clusters have.
    public static DnsCacheConfig cache() {
        return Discovery.cache();
    }
}
