// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.outbound;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.node.telemetry.Reporter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/// Talks SOCKS5 (RFC 1928) with a client until it has said where it wants to go: without authentication, CONNECT only.
/// Then it answers that all is well, as dialling comes later, and leaves the pipeline. On the channel's event loop.
public final class Socks5Handler extends ChannelInboundHandlerAdapter {
    private static final int VERSION = 5;
    private static final int CONNECT = 1;
    private static final int V4 = 1;
    private static final int NAME = 3;
    private static final int V6 = 4;
    private static final int PROTOCOL_FAULT = 7;
    private static final int PATIENCE_SECONDS = 10;
    private static final int LONGEST = 600;

    private final Outbound outbound;
    private ByteBuf received = Unpooled.EMPTY_BUFFER;
    private State state = State.GREETING;

    private enum State {
        GREETING,
        REQUEST,
        /// All is said; what the client sends now is kept for the relay. Without having been asked, a channel still
        /// reads when its peer sends its end.
        HANDED_OVER,
        ENDED
    }

    private Socks5Handler(Outbound outbound) {
        this.outbound = outbound;
    }

    /// Takes an accepted connection that is not registered yet.
    public static void serve(EpollSocketChannel accepted, Outbound outbound) {
        outbound.telemetry().metrics().socketOpened(Reporter.SOURCE);
        outbound.config().prepare(accepted);
        accepted.pipeline().addLast(new Socks5Handler(outbound));
        outbound.loops().next().register(accepted).addListener(registered -> {
            if (registered.isSuccess()) {
                accepted.read();
            } else {
                outbound.telemetry().metrics().socketClosed(Reporter.SOURCE);
            }
        });
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        var _ = context.executor().schedule(() -> end(context), PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        var data = (ByteBuf) message;
        if (state == State.ENDED) {
            data.release();
            return;
        }
        received = received.isReadable() ? Unpooled.wrappedBuffer(received, data) : data;
        if (state == State.GREETING) {
            greet(context);
        }
        if (state == State.REQUEST) {
            request(context);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (state == State.HANDED_OVER || state == State.ENDED) {
            return;
        }
        if (received.readableBytes() > LONGEST) {
            end(context);
        } else {
            context.read();
        }
    }

    /// Version, number of methods, methods.
    private void greet(ChannelHandlerContext context) {
        var at = received.readerIndex();
        if (received.readableBytes() < 2 || received.readableBytes() < 2 + received.getUnsignedByte(at + 1)) {
            return;
        }
        var methods = received.getUnsignedByte(at + 1);
        var offered =
                received.getUnsignedByte(at) == VERSION && received.indexOf(at + 2, at + 2 + methods, (byte) 0) >= 0;
        received.skipBytes(2 + methods);
        if (!offered) {
            var _ = context.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {VERSION, (byte) 0xff}));
            end(context);
            return;
        }
        state = State.REQUEST;
        var _ = context.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {VERSION, 0}));
    }

    /// Version, command, reserved, kind of address, address, port.
    private void request(ChannelHandlerContext context) {
        var at = received.readerIndex();
        if (received.readableBytes() < 5) {
            return;
        }
        var kind = received.getUnsignedByte(at + 3);
        var length = switch (kind) {
            case V4 -> 4;
            case V6 -> 16;
            case NAME -> 1 + received.getUnsignedByte(at + 4);
            default -> 0;
        };
        if (received.getUnsignedByte(at) != VERSION || received.getUnsignedByte(at + 1) != CONNECT || length == 0) {
            var _ = context.writeAndFlush(reply(PROTOCOL_FAULT));
            end(context);
            return;
        }
        if (received.readableBytes() < 4 + length + 2) {
            return;
        }
        received.skipBytes(4);
        var address = new byte[length];
        received.readBytes(address);
        var port = received.readUnsignedShort();
        var channel = (EpollSocketChannel) context.channel();
        state = State.HANDED_OVER;
        var _ = context.writeAndFlush(reply(0));
        if (kind == NAME) {
            var name = new String(address, 1, address.length - 1, StandardCharsets.US_ASCII);
            outbound.asked(channel, name, port, () -> handOver(channel));
        } else {
            outbound.asked(channel, new IpPort(Ip.ofBytes(address).unmapped(), port), () -> handOver(channel));
        }
    }

    private ByteBuf handOver(EpollSocketChannel channel) {
        channel.pipeline().remove(this);
        return received;
    }

    private static ByteBuf reply(int status) {
        return Unpooled.wrappedBuffer(new byte[] {VERSION, (byte) status, 0, V4, 0, 0, 0, 0, 0, 0});
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            end(context);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        end(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        end(context);
    }

    private void end(ChannelHandlerContext context) {
        if (state == State.GREETING || state == State.REQUEST) {
            state = State.ENDED;
            received.release();
            var _ = context.close();
            outbound.telemetry().metrics().socketClosed(Reporter.SOURCE);
        }
    }
}
