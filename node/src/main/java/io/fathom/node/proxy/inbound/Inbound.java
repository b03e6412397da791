// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.inbound;

import io.fathom.model.routing.InboundRouter;
import io.fathom.node.proxy.ConnectionLedger;
import io.fathom.node.proxy.Destinations;
import io.fathom.node.proxy.Dialer;
import io.fathom.node.proxy.EndpointLoad;
import io.fathom.node.proxy.LocalPod;
import io.fathom.node.proxy.ProxyConfig;
import io.fathom.node.telemetry.Telemetry;
import io.fathom.wire.hbone.HbonePool;
import io.netty.channel.EventLoopGroup;

/// What the inbound side of one pod works with.
///
/// @param dialer to the application, in the pod's own namespace
/// @param pool of tunnels to the pod's waypoint
/// @param load counts what is open to each endpoint
/// @param loops that accepted connections are spread over
public record Inbound(
        LocalPod pod,
        InboundRouter router,
        Dialer dialer,
        HbonePool pool,
        EndpointLoad load,
        ConnectionLedger ledger,
        Telemetry telemetry,
        EventLoopGroup loops,
        Destinations destinations,
        ProxyConfig config) {}
