// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.inbound;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.InboundDecision;
import io.fathom.model.routing.InboundDecision.Deny;
import io.fathom.model.routing.InboundDecision.Forward;
import io.fathom.model.routing.InboundDecision.Hairpin;
import io.fathom.model.routing.InboundDecision.Reason;
import io.fathom.model.routing.InboundDecision.Reject;
import io.fathom.model.routing.InboundDecision.SourceAddress;
import io.fathom.model.routing.InboundRequest;
import io.fathom.model.routing.MeshView;
import io.fathom.node.proxy.Baggage;
import io.fathom.node.proxy.Dialer;
import io.fathom.node.proxy.Forwarded;
import io.fathom.node.proxy.OpenConnection.Protocol;
import io.fathom.node.proxy.ProxyConfig.BaggageUse;
import io.fathom.node.proxy.Session;
import io.fathom.node.proxy.relay.Relay;
import io.fathom.node.telemetry.Party;
import io.fathom.node.telemetry.Reporter;
import io.fathom.node.telemetry.ResponseFlag;
import io.fathom.wire.hbone.HboneFailure;
import io.fathom.wire.hbone.Reply;
import io.fathom.wire.hbone.TunnelAcceptor;
import io.fathom.wire.hbone.TunnelRequest;
import io.netty.buffer.Unpooled;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.Optional;

/// Answers the requests of HBONE peers for one pod: decides, dials the application, and only then says 200. On the
/// event loop of the peer's connection, where the application's connection lives too.
public final class HboneAcceptor implements TunnelAcceptor {
    private static final int UNAVAILABLE = 503;

    private final Inbound inbound;

    public HboneAcceptor(Inbound inbound) {
        this.inbound = inbound;
    }

    @Override
    public void requested(TunnelRequest request, Reply reply) {
        var start = System.nanoTime();
        var view = inbound.pod().mesh().view();
        var decision = decide(request, view, inbound.pod().in(view));
        if (decision instanceof Reject reject && reject.reason() == Reason.UNKNOWN_WORKLOAD) {
            inbound.pod().await(request.loop(), found -> {
                if (reply.isWanted()) {
                    var later = inbound.pod().mesh().view();
                    new Answer(request, reply, start).give(decide(request, later, found), later);
                }
            });
        } else {
            new Answer(request, reply, start).give(decision, view);
        }
    }

    @Override
    public void rejected(IpPort peer, IpPort local, HboneFailure failure) {
        if (failure instanceof HboneFailure.Revoked) {
            inbound.telemetry().metrics().revoked(Reporter.DESTINATION);
        }
        inbound.telemetry()
                .turnedAway(
                        Reporter.DESTINATION,
                        peer,
                        Optional.of(local),
                        failure.problem().message());
    }

    private InboundDecision decide(TunnelRequest request, MeshView view, Optional<Workload> local) {
        var headers = request.headers();
        return inbound.router()
                .decide(
                        view,
                        new InboundRequest.Hbone(
                                local,
                                request.local(),
                                request.peer(),
                                request.tls().identity(),
                                request.method(),
                                headers.authority(),
                                headers.forwarded().flatMap(Forwarded::host),
                                headers.forwardedNetwork()));
    }

    /// The answer to one request.
    private final class Answer {
        private final TunnelRequest request;
        private final Reply reply;
        private final long startNanos;

        Answer(TunnelRequest request, Reply reply, long startNanos) {
            this.request = request;
            this.reply = reply;
            this.startNanos = startNanos;
        }

        void give(InboundDecision decision, MeshView view) {
            switch (decision) {
                case Reject(var reason, var message) -> {
                    inbound.telemetry()
                            .turnedAway(Reporter.DESTINATION, request.peer(), Optional.of(request.local()), message);
                    reply.refuse(reason.status(), message);
                }
                case Deny deny -> {
                    admission().deny(deny, startNanos);
                    reply.refuse(Deny.STATUS, deny.authorization().message());
                }
                case Hairpin _ -> throw new IllegalStateException("a tunnel is never sent back");
                case Forward forward -> {
                    switch (admission().admit(forward, view, startNanos)) {
                        case Admission.AdmissionResult.Denied(var message) -> reply.refuse(Deny.STATUS, message);
                        case Admission.AdmissionResult.Admitted(var session) -> dial(forward, session);
                    }
                }
            }
        }

        private Admission admission() {
            return new Admission(
                    inbound,
                    request.loop(),
                    request.peer(),
                    request.local(),
                    request.tls(),
                    Protocol.HBONE,
                    request.headers().forwarded().flatMap(Forwarded::host),
                    said(),
                    () -> {});
        }

        private Optional<Party> said() {
            return inbound.config().baggage() == BaggageUse.EXCHANGED
                    ? request.headers()
                            .baggage()
                            .map(text -> Baggage.parse(text).party())
                    : Optional.empty();
        }

        private void dial(Forward forward, Session session) {
            var dialer = inbound.dialer();
            dialer.dial(request.loop(), forward.hop(), source(forward, request.peer()), new Dialer.DialListener() {
                @Override
                public void connected(EpollSocketChannel application) {
                    begin(forward, session, application);
                }

                @Override
                public void failed(Dialer.Failure failure) {
                    session.fail(ResponseFlag.CONNECT, failure.message());
                    reply.refuse(UNAVAILABLE, failure.message());
                }
            });
        }

        private void begin(Forward forward, Session session, EpollSocketChannel application) {
            if (session.isCut()) {
                var _ = application.close();
                session.failCut();
                reply.refuse(Deny.STATUS, "no longer allowed");
                return;
            }
            var baggage = inbound.config().baggage() == BaggageUse.EXCHANGED
                    ? inbound.pod().baggage(inbound.pod().mesh().view())
                    : Optional.<String>empty();
            var tunnel = reply.accept(baggage);
            if (forward.proxyTarget().isPresent()) {
                var header = ProxyHeader.of(
                        request.peer(),
                        forward.proxyTarget().get(),
                        request.tls().identity());
                var _ = application.writeAndFlush(header);
            }
            session.start(Relay.of(tunnel, application, session), Unpooled.EMPTY_BUFFER);
        }
    }

    /// The address that the application shall see, if it is not what comes by itself.
    static Optional<Ip> source(Forward forward, IpPort peer) {
        return forward.source() == SourceAddress.CLIENT
                        && peer.ip().family() == forward.hop().ip().family()
                ? Optional.of(peer.ip())
                : Optional.empty();
    }
}
