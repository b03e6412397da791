// SPDX-License-Identifier: Apache-2.0
/// Kinds of the Gateway API: Gateways, listener sets, routes, grants, policies of backends.
///
/// Entry: [io.fathom.wire.kube.gateway.GatewayManifest], [io.fathom.wire.kube.gateway.RouteManifest]. Immutable;
/// readers run on the thread of the source. Knows nothing about which Gateway or route is accepted.
@NullMarked
package io.fathom.wire.kube.gateway;

import org.jspecify.annotations.NullMarked;
