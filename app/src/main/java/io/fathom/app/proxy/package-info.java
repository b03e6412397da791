// SPDX-License-Identifier: Apache-2.0
/// The companion of the Envoy in a waypoint or gateway: makes its key, orders its certificate and hands both over,
/// writes what Envoy starts with, starts it and ends with it. Speaks pilot-agent's command line and environment.
///
/// Entry: [io.fathom.app.proxy.ProxyMain], then [io.fathom.app.proxy.Proxy]. It must stay small: nothing here uses
/// Netty, gRPC or protobuf.
@NullMarked
package io.fathom.app.proxy;

import org.jspecify.annotations.NullMarked;
