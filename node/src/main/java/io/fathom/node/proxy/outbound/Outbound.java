// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.outbound;

import io.fathom.model.mesh.IpPort;
import io.fathom.model.routing.HostRequest;
import io.fathom.model.routing.OutboundRequest;
import io.fathom.model.routing.OutboundRouter;
import io.fathom.node.proxy.ConnectionLedger;
import io.fathom.node.proxy.Destinations;
import io.fathom.node.proxy.Dialer;
import io.fathom.node.proxy.EndpointLoad;
import io.fathom.node.proxy.LocalPod;
import io.fathom.node.proxy.NameResolver;
import io.fathom.node.proxy.ProxyConfig;
import io.fathom.node.telemetry.Reporter;
import io.fathom.node.telemetry.Telemetry;
import io.fathom.wire.hbone.HbonePool;
import io.fathom.wire.net.SocketAddresses;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.Optional;
import java.util.function.Supplier;

/// The outbound side of one pod: carries each connection it is given to where the router says.
///
/// @param loops for what goes through no tunnel
/// @param load counts what is open to each endpoint
public record Outbound(
        LocalPod pod,
        OutboundRouter router,
        HbonePool pool,
        Dialer dialer,
        NameResolver names,
        ConnectionLedger ledger,
        Telemetry telemetry,
        EventLoopGroup loops,
        EndpointLoad load,
        Destinations destinations,
        ProxyConfig config) {

    /// Takes a redirected connection that is not registered with an event loop; `loop` is where it was accepted.
    public void captured(EpollSocketChannel accepted, EventLoop loop) {
        telemetry.metrics().socketOpened(Reporter.SOURCE);
        config.prepare(accepted);
        var client = new Client(accepted, () -> Unpooled.EMPTY_BUFFER, this);
        var target = destinations.of(accepted);
        if (isOurOwn(target, accepted)) {
            client.turnAway(Optional.of(target), "attempted recursive call to ourselves");
            return;
        }
        pod.await(loop, found -> {
            if (found.isEmpty()) {
                client.turnAway(Optional.of(target), "the workload of pod " + pod.name() + " is not known");
                return;
            }
            var request = new OutboundRequest(found.get(), client.address().ip(), target);
            new OutboundConnection(this, client, found.get(), target).begin(request);
        });
    }

    /// Nothing was redirected and the port is one of ours: going there would come back here for ever.
    private boolean isOurOwn(IpPort target, EpollSocketChannel accepted) {
        return config.ports().illegal().contains(target.port())
                && target.equals(SocketAddresses.of(accepted.localAddress()));
    }

    /// Takes a connection whose client said where it wants to go, on the loop it is registered with.
    ///
    /// @param early gives up what the client sent already
    void asked(EpollSocketChannel registered, IpPort target, Supplier<ByteBuf> early) {
        var client = new Client(registered, early, this);
        pod.await(registered.eventLoop(), found -> {
            if (found.isEmpty()) {
                client.turnAway(Optional.of(target), "the workload of pod " + pod.name() + " is not known");
                return;
            }
            var request = new OutboundRequest(found.get(), client.address().ip(), target);
            new OutboundConnection(this, client, found.get(), target).begin(request);
        });
    }

    /// As [#asked], by name.
    void asked(EpollSocketChannel registered, String hostname, int port, Supplier<ByteBuf> early) {
        var client = new Client(registered, early, this);
        pod.await(registered.eventLoop(), found -> {
            if (found.isEmpty()) {
                client.turnAway(Optional.empty(), "the workload of pod " + pod.name() + " is not known");
                return;
            }
            var request = new HostRequest(found.get(), client.address().ip(), hostname, port);
            new OutboundConnection(this, client, found.get(), client.address()).begin(request);
        });
    }
}
