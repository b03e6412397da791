// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.wire.kube.manifest.ObjectKey;

/// Where a route can be in effect.
public sealed interface RouteAttachPoint {
    /// At a listener of a Gateway.
    record AtListener(ListenerKey listener) implements RouteAttachPoint {}

    /// At a waypoint, for a port of a service that it stands in front of.
    ///
    /// @param service its resource name, `namespace/hostname`
    record AtService(ObjectKey waypoint, String service, int port) implements RouteAttachPoint {}
}
