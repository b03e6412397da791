// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.control.envoy.cluster.Capture;
import io.fathom.control.envoy.cluster.ProxySettings;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.envoy.waypoint.WaypointSettings;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;

/// Proxies that are configured alike.
///
/// @param gateway that they belong to
/// @param settings for waypoints; others read a part of it
record Group(ProxyGroup proxies, GatewayManifest gateway, WaypointSettings settings, Capture capture) {
    ObjectKey key() {
        return proxies.gateway();
    }

    /// For its clusters.
    ProxySettings proxySettings() {
        return ProxySettings.of(settings.meshTls()).within(settings.traffic());
    }
}
