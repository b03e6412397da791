// SPDX-License-Identifier: Apache-2.0
/// Routes of the Gateway API and VirtualServices in Envoy's words. [ServiceRoutes] for waypoints, [GatewayRoutes] for
/// ingress, [TcpRoutes] for both. Pure: knows neither the flow nor how resources are sent.
@NullMarked
package io.fathom.control.envoy.route;

import org.jspecify.annotations.NullMarked;
