// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.fathom.control.envoy.view.ClusterName;
import java.util.List;
import java.util.Set;

/// The filters of policies in a TCP chain, in order; before the one that forwards.
///
/// @param clusters that the filters call; the proxy must have them
public record TcpPolicy(List<Filter> filters, Set<ClusterName> clusters) {
    public static final TcpPolicy NONE = new TcpPolicy(List.of(), Set.of());

    public TcpPolicy {
        filters = List.copyOf(filters);
        clusters = Set.copyOf(clusters);
    }
}
