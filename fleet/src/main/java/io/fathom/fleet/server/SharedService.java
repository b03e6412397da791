// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import java.util.List;

/// A service of the fleet, and which clusters export it.
///
/// @param path `namespace/name`
public record SharedService(String path, List<ServiceOrigin> origins) {
    /// What one cluster has of it.
    ///
    /// @param ready endpoints
    public record ServiceOrigin(String cluster, int ready) {}

    public SharedService {
        origins = List.copyOf(origins);
    }
}
