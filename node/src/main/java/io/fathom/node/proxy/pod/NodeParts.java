// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import io.fathom.model.routing.OutboundRouter;
import io.fathom.node.proxy.Destinations;
import io.fathom.node.proxy.EndpointLoad;
import io.fathom.node.proxy.MeshSource;
import io.fathom.node.proxy.NameResolver;
import io.fathom.node.proxy.ProxyConfig;
import io.fathom.node.telemetry.Telemetry;
import io.fathom.wire.hbone.HboneLimits;
import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.MeshTls;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.List;

/// What all pods of a node share.
///
/// @param loops that serve the traffic of all pods, with [io.fathom.node.socket.SteadyEpoll]; not stopped with any
public record NodeParts(
        MeshSource mesh,
        OutboundRouter router,
        EndpointLoad load,
        NameResolver names,
        CertificateSource certificates,
        MeshTls tls,
        HboneLimits limits,
        Telemetry telemetry,
        EventLoopGroup loops,
        Destinations destinations,
        ProxyConfig config) {
    List<EventLoop> loopList() {
        var list = new ArrayList<EventLoop>();
        loops.forEach(loop -> list.add((EventLoop) loop));
        return list;
    }
}
