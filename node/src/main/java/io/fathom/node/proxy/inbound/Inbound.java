package io.fathom.node.proxy.inbound;

import io.fathom.model.routing.InboundRouter;
import io.fathom.node.proxy.ConnectionLedger;
import io.fathom.node.proxy.Destinations;
import io.fathom.node.proxy.Dialer;
import io.fathom.node.proxy.LocalPod;
import io.fathom.node.proxy.ProxyConfig;
import io.fathom.node.telemetry.Telemetry;
import io.netty.channel.EventLoopGroup;

/// What the inbound side of one pod works with.
///
/// @param dialer to the application, in the pod's own namespace
/// @param loops that accepted connections are spread over
public record Inbound(
        LocalPod pod,
        InboundRouter router,
        Dialer dialer,
        ConnectionLedger ledger,
        Telemetry telemetry,
        EventLoopGroup loops,
        Destinations destinations,
        ProxyConfig config) {}
