// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Collects the filters that routes count on. One thread, one translation.
final class FilterNeeds {
    private final Map<String, HttpFilter> byName = new TreeMap<>();

    void add(HttpFilter filter) {
        byName.put(filter.getName(), filter);
    }

    /// In the order of their names: who decides comes before who remembers.
    List<HttpFilter> filters() {
        return List.copyOf(byName.values());
    }
}
