// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.listener.v3.Filter;
import java.util.List;

/// Network filters for traffic to workloads themselves.
public record DirectChains(List<Filter> http, List<Filter> tcp) {
    public DirectChains {
        http = List.copyOf(http);
        tcp = List.copyOf(tcp);
    }
}
