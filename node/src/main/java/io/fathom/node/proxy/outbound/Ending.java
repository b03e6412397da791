// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.outbound;

import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import io.fathom.node.proxy.Baggage;
import io.fathom.node.proxy.OpenConnection;
import io.fathom.node.proxy.OpenConnection.Protocol;
import io.fathom.node.proxy.Session;
import io.fathom.node.proxy.relay.Relay;
import io.fathom.node.telemetry.Called;
import io.fathom.node.telemetry.ConnectionFacts;
import io.fathom.node.telemetry.Party;
import io.fathom.node.telemetry.Reporter;
import io.fathom.node.telemetry.ResponseFlag;
import io.fathom.node.telemetry.Security;
import io.fathom.wire.hbone.Tunnel;
import io.fathom.wire.hbone.TunnelOpening;
import io.fathom.wire.tls.TlsPeer;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.Optional;
import java.util.function.Function;

/// What becomes of an outbound connection in the end: it is relayed, or it fails. Either is reported.
final class Ending {
    private final Outbound outbound;
    private final Client client;
    private final Workload source;
    private final IpPort target;
    private final long startNanos = System.nanoTime();

    Ending(Outbound outbound, Client client, Workload source, IpPort target) {
        this.outbound = outbound;
        this.client = client;
        this.source = source;
        this.target = target;
    }

    void fail(Hop hop, ResponseFlag flag, String message) {
        var destination = Party.of(hop.destination().workload());
        outbound.telemetry()
                .open(facts(hop, Party.of(source), destination, Security.UNKNOWN), startNanos)
                .end(flag, message);
        client.drop();
    }

    /// On the loop of the server's channel.
    void relay(Hop hop, EpollSocketChannel server) {
        var facts = facts(hop, Party.of(source), Party.of(hop.destination().workload()), Security.UNKNOWN);
        client.moveTo(
                server.eventLoop(),
                () -> start(
                        server.eventLoop(),
                        hop,
                        facts,
                        TlsPeer.NONE,
                        session -> Relay.of(client.channel(), server, session)),
                () -> {
                    var _ = server.close();
                    lost(facts);
                });
    }

    /// On the loop of the tunnel.
    void relay(Hop hop, TunnelOpening.Opened opened) {
        var peer = opened.peer();
        var facts = facts(
                hop,
                Party.of(source).proven(source.identity()),
                destination(hop, opened).proven(peer.identity()),
                Security.MUTUAL_TLS);
        var loop = opened.tunnel().loop();
        client.moveTo(
                loop,
                () -> start(loop, hop, facts, peer, session -> Relay.of(client.channel(), opened.tunnel(), session)),
                () -> {
                    opened.tunnel().reset(Tunnel.Reset.CANCELLED);
                    lost(facts);
                });
    }

    /// Behind a gateway only the answer tells who it was.
    private static Party destination(Hop hop, TunnelOpening.Opened opened) {
        var said = hop.protocol() == Protocol.DOUBLEHBONE
                ? opened.baggage().map(text -> Baggage.parse(text).party())
                : Optional.<Party>empty();
        return said.orElseGet(() -> Party.of(hop.destination().workload()));
    }

    private void start(EventLoop loop, Hop hop, ConnectionFacts facts, TlsPeer peer, Function<Session, Relay> relay) {
        var uid = hop.destination().workload().map(Workload::uid);
        uid.ifPresent(outbound.load()::opened);
        var session = new Session(loop, outbound.telemetry().open(facts, startNanos), outbound.ledger(), () -> {
            uid.ifPresent(outbound.load()::closed);
            client.gone();
        });
        session.enter(
                new OpenConnection.Shown(
                        OpenConnection.Direction.OUTBOUND,
                        client.address(),
                        Optional.of(target.toString()),
                        hop.address(),
                        hop.protocol()),
                Optional.empty(),
                peer);
        session.start(relay.apply(session), client.early());
    }

    /// The client has gone while we were dialling for it.
    private void lost(ConnectionFacts facts) {
        outbound.telemetry().open(facts, startNanos).end(ResponseFlag.NONE, "the client has gone");
        client.drop();
    }

    private ConnectionFacts facts(Hop hop, Party from, Party to, Security security) {
        return new ConnectionFacts(
                Reporter.SOURCE,
                client.address(),
                from,
                hop.address(),
                hop.authority(),
                to,
                Called.of(hop.destination().service()),
                security,
                Optional.empty());
    }
}
