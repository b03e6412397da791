// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.fathom.base.lang.ProblemException;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One gRPC call in both directions on an HTTP/2 connection of its own, whose bytes are handed on as they come. A gRPC
/// library would hold each message as a whole, and the first answer of a control plane is one message with the whole
/// mesh. Flow control is in the listener's hands. All methods from any thread; the listener is called on the loop.
public final class GrpcStream implements AutoCloseable {
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(5);
    private static final int WINDOW = 1 << 20;

    /// Hears what comes. Called on the connection's loop: must not block.
    public interface GrpcStreamListener {
        /// Bytes of messages, each with gRPC's prefix. They belong to the listener, which asks for [#more] when it has
        /// dealt with them.
        void received(List<ByteBuf> pieces);

        /// Nothing comes after this.
        void ended(Status status, Progress progress);
    }

    /// How far a call got.
    public enum Progress {
        /// The server has not said anything.
        UNANSWERED,
        ANSWERED
    }

    private final GrpcTransport transport;
    private final Http2Headers request;
    private final GrpcStreamListener listener;
    private final EventLoop loop;
    private final List<byte[]> waiting = new ArrayList<>();
    private @Nullable Channel connection;
    private @Nullable Channel stream;
    /// Of a connection without TLS, which can be used at once.
    private @Nullable Http2FrameCodec plain;
    private Progress progress = Progress.UNANSWERED;
    private boolean finished;
    private boolean ended;

    private GrpcStream(GrpcTransport transport, Http2Headers request, GrpcStreamListener listener, EventLoop loop) {
        this.transport = transport;
        this.request = request;
        this.listener = listener;
        this.loop = loop;
    }

    /// Begins to connect; what is sent meanwhile waits.
    ///
    /// @param method `package.Service/Method`
    /// @throws ProblemException when roots or token cannot be read
    public static GrpcStream open(ServerConfig server, String method, GrpcStreamListener listener, EventLoop loop) {
        var headers = headers(server.toString(), method).add("clusterid", server.clusterId());
        server.token().read().ifPresent(token -> headers.add("authorization", "Bearer " + token));
        server.headers().forEach((name, value) -> headers.add(name.toLowerCase(Locale.ROOT), value));
        return open(new ControlTransport(server), headers, listener, loop);
    }

    /// Likewise without TLS and without proof of who we are: for servers on the same machine.
    public static GrpcStream openInClear(
            String host, int port, String method, GrpcStreamListener listener, EventLoop loop) {
        return open(new ClearTransport(host, port), headers(host + ":" + port, method), listener, loop);
    }

    /// Likewise by another way, with what that way proves of us.
    ///
    /// @param authority of the requests
    public static GrpcStream open(
            GrpcTransport transport, String authority, String method, GrpcStreamListener listener, EventLoop loop) {
        return open(transport, headers(authority, method), listener, loop);
    }

    private static GrpcStream open(
            GrpcTransport transport, Http2Headers headers, GrpcStreamListener listener, EventLoop loop) {
        var stream = new GrpcStream(transport, headers, listener, loop);
        loop.execute(stream::connect);
        return stream;
    }

    private static Http2Headers headers(String authority, String method) {
        return new DefaultHttp2Headers()
                .method("POST")
                .scheme("https")
                .path("/" + method)
                .authority(authority)
                .add("te", "trailers")
                .add("content-type", "application/grpc")
                .add("user-agent", "fathom-node");
    }

    private void connect() {
        if (ended) {
            return;
        }
        var handlers = new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                initialize(channel);
            }
        };
        transport.connect(loop, handlers, new GrpcTransport.ConnectListener() {
            @Override
            public void connected(Channel channel) {
                connection = channel;
                var _ = channel.closeFuture()
                        .addListener(_ -> end(Status.UNAVAILABLE.withDescription("connection closed")));
                if (ended) {
                    shut();
                } else if (plain != null) {
                    begin(channel, plain);
                }
            }

            @Override
            public void failed(String reason) {
                end(Status.UNAVAILABLE.withDescription(reason));
            }
        });
    }

    private void initialize(Channel channel) {
        var tls = transport.tls(channel);
        var codec = Http2FrameCodecBuilder.forClient()
                .initialSettings(
                        Http2Settings.defaultSettings().pushEnabled(false).initialWindowSize(WINDOW))
                .build();
        tls.ifPresent(ssl -> {
            ssl.setHandshakeTimeout(HANDSHAKE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            channel.pipeline().addLast(ssl);
        });
        channel.pipeline()
                .addLast(codec)
                .addLast(new Http2MultiplexHandler(GrpcStreamHandler.refusing()))
                .addLast(new GrpcPing());
        tls.ifPresentOrElse(
                ssl -> {
                    var _ = ssl.handshakeFuture().addListener(done -> {
                        if (done.isSuccess()) {
                            judge(channel, ssl, codec);
                        } else {
                            end(Status.UNAVAILABLE.withDescription("TLS handshake failed: " + done.cause()));
                        }
                    });
                },
                () -> plain = codec);
    }

    private void judge(Channel channel, SslHandler ssl, Http2FrameCodec codec) {
        transport
                .objection(ssl)
                .ifPresentOrElse(
                        objection -> end(Status.UNAVAILABLE.withDescription(objection)), () -> begin(channel, codec));
    }

    private void begin(Channel channel, Http2FrameCodec codec) {
        widen(codec);
        var _ = new Http2StreamChannelBootstrap(channel)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new GrpcStreamHandler(this))
                .open()
                .addListener(done -> {
                    if (done.isSuccess()) {
                        start((Channel) done.getNow());
                    } else {
                        end(Status.UNAVAILABLE.withDescription("no stream: " + done.cause()));
                    }
                });
    }

    /// The window of the connection is as wide as that of its one stream.
    private static void widen(Http2FrameCodec codec) {
        try {
            var local = codec.connection().local().flowController();
            local.incrementWindowSize(
                    codec.connection().connectionStream(), WINDOW - Http2CodecUtil.DEFAULT_WINDOW_SIZE);
        } catch (Http2Exception e) {
            throw new IllegalStateException("a new connection can be widened", e);
        }
    }

    private void start(Channel opened) {
        stream = opened;
        var _ = opened.write(new DefaultHttp2HeadersFrame(request, false));
        for (var message : waiting) {
            var _ = opened.write(frame(message));
        }
        waiting.clear();
        if (finished) {
            var _ = opened.write(new DefaultHttp2DataFrame(true));
        }
        opened.flush();
        opened.read();
    }

    private static DefaultHttp2DataFrame frame(byte[] message) {
        var prefix = Unpooled.buffer(5).writeByte(0).writeInt(message.length);
        return new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(prefix, Unpooled.wrappedBuffer(message)));
    }

    /// Sends a message after those before it.
    public void send(byte[] message) {
        loop.execute(() -> {
            if (stream != null) {
                var _ = stream.writeAndFlush(frame(message));
            } else if (!ended) {
                waiting.add(message);
            }
        });
    }

    /// Says that nothing more is sent, after what was sent before.
    public void finish() {
        loop.execute(() -> {
            finished = true;
            if (stream != null) {
                var _ = stream.writeAndFlush(new DefaultHttp2DataFrame(true));
            }
        });
    }

    /// Lets the next bytes come.
    public void more() {
        loop.execute(() -> {
            if (stream != null) {
                stream.read();
            }
        });
    }

    /// Ends it; the listener hears no more.
    @Override
    public void close() {
        loop.execute(() -> {
            ended = true;
            shut();
        });
    }

    void answered() {
        progress = Progress.ANSWERED;
    }

    void received(List<ByteBuf> pieces) {
        if (ended) {
            pieces.forEach(ByteBuf::release);
        } else {
            listener.received(pieces);
        }
    }

    /// On the loop; only the first reason counts.
    void end(Status status) {
        if (!ended) {
            ended = true;
            listener.ended(status, progress);
        }
        shut();
    }

    private void shut() {
        if (connection != null) {
            var _ = connection.close();
        }
    }
}
