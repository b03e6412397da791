package io.fathom.node.proxy.inbound;

import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.InboundDecision;
import io.fathom.model.routing.InboundDecision.Deny;
import io.fathom.model.routing.InboundDecision.Forward;
import io.fathom.model.routing.InboundDecision.Reason;
import io.fathom.model.routing.InboundDecision.Reject;
import io.fathom.model.routing.InboundRequest;
import io.fathom.model.routing.MeshView;
import io.fathom.node.proxy.Dialer;
import io.fathom.node.proxy.OpenConnection.Protocol;
import io.fathom.node.proxy.Session;
import io.fathom.node.proxy.relay.Relay;
import io.fathom.node.telemetry.Reporter;
import io.fathom.node.telemetry.ResponseFlag;
import io.fathom.wire.net.SocketAddresses;
import io.fathom.wire.tls.TlsPeer;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.Optional;

/// Takes plain connections that were captured on their way to the application (15006). Policies are asked without an
/// identity; what may not be is closed.
public final class CapturedAcceptor {
    private final Inbound inbound;

    public CapturedAcceptor(Inbound inbound) {
        this.inbound = inbound;
    }

    /// Takes an accepted connection that is not registered with an event loop.
    public void captured(EpollSocketChannel accepted) {
        inbound.telemetry().metrics().socketOpened(Reporter.DESTINATION);
        inbound.config().prepare(accepted);
        inbound.ledger().arrived();
        var one = new One(
                accepted,
                SocketAddresses.of(accepted.remoteAddress()),
                inbound.destinations().of(accepted),
                inbound.loops().next(),
                System.nanoTime());
        one.loop.execute(one::decide);
    }

    /// One connection, on the event loop that both its legs will live on.
    private final class One {
        private final EpollSocketChannel client;
        private final IpPort peer;
        private final IpPort at;
        private final EventLoop loop;
        private final long startNanos;

        One(EpollSocketChannel client, IpPort peer, IpPort at, EventLoop loop, long startNanos) {
            this.client = client;
            this.peer = peer;
            this.at = at;
            this.loop = loop;
            this.startNanos = startNanos;
        }

        void decide() {
            var view = inbound.pod().mesh().view();
            var decision = decide(view, inbound.pod().in(view));
            if (decision instanceof Reject reject && reject.reason() == Reason.UNKNOWN_WORKLOAD) {
                inbound.pod().await(loop, found -> {
                    var later = inbound.pod().mesh().view();
                    act(decide(later, found), later);
                });
            } else {
                act(decision, view);
            }
        }

        private InboundDecision decide(MeshView view, Optional<Workload> local) {
            return inbound.router().decide(view, new InboundRequest.Captured(local, at, peer));
        }

        private void act(InboundDecision decision, MeshView view) {
            var admission = new Admission(
                    inbound,
                    loop,
                    peer,
                    at,
                    TlsPeer.NONE,
                    Protocol.TCP,
                    Optional.empty(),
                    Optional.empty(),
                    this::gone);
            switch (decision) {
                case Reject(var reason, var message) -> {
                    inbound.telemetry().turnedAway(Reporter.DESTINATION, peer, Optional.of(at), message);
                    drop();
                    gone();
                }
                case Deny deny -> {
                    drop();
                    admission.deny(deny, startNanos);
                }
                case Forward forward -> {
                    switch (admission.admit(forward, view, startNanos)) {
                        case Admission.Outcome.Denied denied -> drop();
                        case Admission.Outcome.Admitted(var session) -> dial(forward, session);
                    }
                }
            }
        }

        private void dial(Forward forward, Session session) {
            var source = HboneAcceptor.source(forward, peer);
            inbound.dialer().dial(loop, forward.hop(), source, new Dialer.Outcome() {
                @Override
                public void connected(EpollSocketChannel application) {
                    begin(session, application);
                }

                @Override
                public void failed(Dialer.Failure failure) {
                    session.fail(ResponseFlag.CONNECT, failure.message());
                    drop();
                }
            });
        }

        private void begin(Session session, EpollSocketChannel application) {
            if (session.isCut()) {
                var _ = application.close();
                session.failCut();
                drop();
                return;
            }
            loop.register(client).addListener(registered -> {
                if (registered.isSuccess()) {
                    session.start(Relay.of(client, application, session), Unpooled.EMPTY_BUFFER);
                } else {
                    var _ = application.close();
                    session.fail(ResponseFlag.NONE, "the client has gone");
                }
            });
        }

        /// Not registered yet: the client sees a reset.
        private void drop() {
            client.config().setSoLinger(0);
            client.unsafe().closeForcibly();
        }

        private void gone() {
            inbound.ledger().left();
            inbound.telemetry().metrics().socketClosed(Reporter.DESTINATION);
        }
    }
}
