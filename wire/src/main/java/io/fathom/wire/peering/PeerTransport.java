// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.dial.GrpcTransport;
import io.fathom.wire.dial.SocketTransport;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.MeshTls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;

/// To the control plane of a peer, with TLS all the way: whatever is in between passes that on. Both sides show who
/// they are.
final class PeerTransport implements GrpcTransport {
    private static final Duration HANDSHAKE = Duration.ofSeconds(5);
    private static final Ip NOWHERE = Ip.parse("0.0.0.0").orElseThrow();

    private final String host;
    private final PeerTarget target;
    private final PeerTunnels tunnels;
    private final TlsIdentity own;
    private final MeshTls tls;

    /// @param host one of the target's
    PeerTransport(String host, PeerTarget target, PeerTunnels tunnels, TlsIdentity own, MeshTls tls) {
        this.host = host;
        this.target = target;
        this.tunnels = tunnels;
        this.own = own;
        this.tls = tls;
    }

    @Override
    public void connect(EventLoop loop, ChannelInitializer<Channel> handlers, ConnectListener listener) {
        if (target.isBehindTunnels()) {
            tunnels.connect(host, target.port(), target.gateways(), loop, handlers, listener);
        } else {
            SocketTransport.connect(host, target.port(), loop, handlers, listener);
        }
    }

    @Override
    public Optional<SslHandler> tls(Channel channel) {
        var hop = new IpPort(Ip.parse(host).orElse(NOWHERE), target.port()); // only sessions are found by it
        return Optional.of(tls.client(own, hop, channel.alloc(), HANDSHAKE));
    }

    @Override
    public Optional<String> objection(SslHandler handler) {
        var objection = MeshTls.objection(handler).map(MeshTls.Objection::text);
        if (objection.isPresent()) {
            return objection;
        }
        var expected = target.controlPlanes();
        var shown = MeshTls.peer(handler).identities();
        return Collections.disjoint(shown, expected)
                ? Optional.of("it proves to be " + uris(shown) + ", not " + uris(expected))
                : Optional.empty();
    }

    private static String uris(Iterable<Identity> identities) {
        var text = new StringBuilder();
        identities.forEach(identity -> text.append(text.isEmpty() ? "" : ", ").append(identity.uri()));
        return text.isEmpty() ? "nobody of a mesh" : text.toString();
    }
}
