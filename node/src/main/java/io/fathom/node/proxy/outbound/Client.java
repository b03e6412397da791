// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.outbound;

import io.fathom.model.mesh.IpPort;
import io.fathom.node.telemetry.Reporter;
import io.fathom.wire.net.SocketAddresses;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.Optional;
import java.util.function.Supplier;

/// A pod's end of an outbound connection until it is relayed. It is not read from before that.
final class Client {
    private final EpollSocketChannel channel;
    private final Supplier<ByteBuf> early;
    private final Outbound outbound;
    private final IpPort address;

    Client(EpollSocketChannel channel, Supplier<ByteBuf> early, Outbound outbound) {
        this.channel = channel;
        this.early = early;
        this.outbound = outbound;
        this.address = SocketAddresses.of(channel.remoteAddress());
        outbound.ledger().arrived();
    }

    EpollSocketChannel channel() {
        return channel;
    }

    /// What it sent before it was relayed. To be asked once, on the loop of its other leg.
    ByteBuf early() {
        return early.get();
    }

    IpPort address() {
        return address;
    }

    /// Brings it to the loop of its other leg and goes on there; gives up if that is not possible.
    void moveTo(EventLoop loop, Runnable then, Runnable giveUp) {
        if (!channel.isRegistered()) {
            register(loop, then, giveUp);
        } else if (channel.eventLoop().equals(loop)) {
            then.run();
        } else {
            channel.deregister().addListener(left -> {
                if (left.isSuccess()) {
                    register(loop, then, giveUp);
                } else {
                    giveUp.run();
                }
            });
        }
    }

    private void register(EventLoop loop, Runnable then, Runnable giveUp) {
        loop.register(channel).addListener(registered -> {
            if (registered.isSuccess()) {
                then.run();
            } else {
                giveUp.run();
            }
        });
    }

    /// The connection cannot be: the client sees a reset, which is what its own dial would have got.
    void drop() {
        if (channel.isOpen()) {
            channel.config().setSoLinger(0);
            if (channel.isRegistered()) {
                var _ = channel.close();
            } else {
                channel.unsafe().closeForcibly();
            }
        }
        gone();
    }

    void gone() {
        outbound.ledger().left();
        outbound.telemetry().metrics().socketClosed(Reporter.SOURCE);
    }

    void turnAway(Optional<IpPort> target, String error) {
        outbound.telemetry().turnedAway(Reporter.SOURCE, address, target, error);
        drop();
    }
}
