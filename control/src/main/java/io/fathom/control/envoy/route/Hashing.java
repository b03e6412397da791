// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy;
import io.fathom.control.envoy.view.MeshService;
import java.util.List;

/// Knows by what the load balancer of a destination hashes requests.
@FunctionalInterface
public interface Hashing {
    /// Empty when it does not hash.
    ///
    /// @param subset may be empty
    List<HashPolicy> of(MeshService service, int port, String subset);
}
