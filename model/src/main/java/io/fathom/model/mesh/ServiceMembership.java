// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.List;
import java.util.Map;

/// The services that a workload is behind.
///
/// @param services ports by service key; an empty list keeps the membership
/// @param capacity relative share of the load; 0 means unset
public record ServiceMembership(Map<String, List<Port>> services, int capacity) {
    public ServiceMembership {
        services = Map.copyOf(services);
    }
}
