// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;

/// The side that is a TCP connection. It reads only when told, once for each time the other leg has taken what was
/// read: a slow receiver stops a fast sender, and nothing is switched on and off on the way.
final class TcpLeg extends ChannelInboundHandlerAdapter implements Leg {
    private final EpollSocketChannel channel;
    private final Relay relay;
    private boolean waits;
    private boolean readAll;

    TcpLeg(EpollSocketChannel channel, Relay relay) {
        this.channel = channel;
        this.relay = relay;
    }

    @Override
    public void start() {
        channel.pipeline().addLast(this);
        if (!channel.isActive()) {
            relay.broken(this);
        } else if (channel.isInputShutdown()) {
            readAll = true;
            relay.finished(this);
        } else {
            channel.read();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        relay.pass(this, (ByteBuf) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (relay.flush(this)) {
            read();
        } else {
            waits = true;
        }
    }

    @Override
    public void resume() {
        if (waits) {
            waits = false;
            read();
        }
    }

    private void read() {
        if (!readAll) {
            channel.read();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            relay.writable(this);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE && !readAll) {
            readAll = true;
            relay.finished(this);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        relay.broken(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        relay.broken(this);
    }

    @Override
    public void write(ByteBuf data) {
        var _ = channel.write(data, channel.voidPromise()); // a failure comes to exceptionCaught
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    /// Shutting down discards what is not written yet, so it waits for an empty buffer at the end of the queue.
    @Override
    public void finish() {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            if (written.isSuccess()) {
                if (relay.allWritten()) {
                    return; // both ways are over: it is closed as a whole
                }
                var _ = channel.shutdownOutput();
            } else {
                relay.broken(this);
            }
        });
    }

    /// Without lingering, closing sends RST.
    @Override
    public void abort() {
        if (channel.isOpen()) {
            channel.config().setSoLinger(0);
            var _ = channel.close();
        }
    }

    @Override
    public void release() {
        var _ = channel.close();
    }
}
