// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.RouteManifest.BackendRef;

/// Knows what ReferenceGrants permit.
@FunctionalInterface
public interface Grants {
    /// Whether the route may use that backend; always so in its own namespace.
    boolean permits(RouteManifest route, BackendRef backend);
}
