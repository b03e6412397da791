// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.fathom.wire.dial.GrpcTransport;
import io.fathom.wire.dial.SocketTransport;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.PolicyContext;
import io.fathom.wire.tls.TlsPolicy;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509TrustManager;

/// To a management server: known by its key, or by its name in the fleet, never by its host name.
final class FleetTransport implements GrpcTransport {
    private static final ApplicationProtocolConfig HTTP2 = new ApplicationProtocolConfig(
            ApplicationProtocolConfig.Protocol.ALPN,
            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
            ApplicationProtocolNames.HTTP_2);

    private final String host;
    private final int port;
    private final SslContext context;

    private FleetTransport(String host, int port, SslContext context) {
        this.host = host;
        this.port = port;
        this.context = context;
    }

    /// @param own what we show; nothing before we have joined
    static FleetTransport of(String host, int port, X509TrustManager trust, Optional<TlsIdentity> own) {
        try {
            return new FleetTransport(host, port, PolicyContext.of(TlsPolicy.DEFAULT, () -> {
                var builder = SslContextBuilder.forClient()
                        .applicationProtocolConfig(HTTP2)
                        .endpointIdentificationAlgorithm("")
                        .trustManager(trust);
                return own.map(it -> builder.keyManager(it.key(), it.chain().toArray(X509Certificate[]::new)))
                        .orElse(builder);
            }));
        } catch (SSLException e) {
            throw new IllegalStateException("TLS cannot be set up", e);
        }
    }

    @Override
    public void connect(EventLoop loop, ChannelInitializer<Channel> handlers, ConnectListener listener) {
        SocketTransport.connect(host, port, loop, handlers, listener);
    }

    @Override
    public Optional<SslHandler> tls(Channel channel) {
        return Optional.of(context.newHandler(channel.alloc(), host, port));
    }

    @Override
    public Optional<String> objection(SslHandler tls) {
        return "h2".equals(tls.applicationProtocol())
                ? Optional.empty()
                : Optional.of("the server does not speak HTTP/2");
    }
}
