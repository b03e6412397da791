// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.inbound;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.InboundDecision;
import io.fathom.model.routing.InboundDecision.Deny;
import io.fathom.model.routing.InboundDecision.Forward;
import io.fathom.model.routing.InboundDecision.Hairpin;
import io.fathom.model.routing.InboundDecision.Reason;
import io.fathom.model.routing.InboundDecision.Reject;
import io.fathom.model.routing.InboundRequest;
import io.fathom.model.routing.MeshView;
import io.fathom.node.proxy.Dialer;
import io.fathom.node.proxy.Session;
import io.fathom.node.proxy.relay.Relay;
import io.fathom.node.telemetry.Reporter;
import io.fathom.node.telemetry.ResponseFlag;
import io.fathom.wire.net.SocketAddresses;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/// One captured connection until it is relayed. On the event loop that both its legs will live on, unless the way is
/// through a waypoint: then that of the tunnel.
final class CapturedConnection {
    private final Inbound inbound;
    private final EpollSocketChannel client;
    private final EventLoop loop;
    private final IpPort peer;
    private final IpPort at;
    private final long startNanos = System.nanoTime();

    /// Takes a channel that is registered nowhere.
    CapturedConnection(Inbound inbound, EpollSocketChannel client, EventLoop loop) {
        this.inbound = inbound;
        this.client = client;
        this.loop = loop;
        this.peer = SocketAddresses.of(client.remoteAddress());
        this.at = inbound.destinations().of(client);
    }

    void begin() {
        loop.execute(this::decide);
    }

    Inbound inbound() {
        return inbound;
    }

    EpollSocketChannel client() {
        return client;
    }

    EventLoop loop() {
        return loop;
    }

    IpPort peer() {
        return peer;
    }

    IpPort at() {
        return at;
    }

    long startNanos() {
        return startNanos;
    }

    private void decide() {
        var view = inbound.pod().mesh().view();
        var local = inbound.pod().in(view);
        var decision = decide(view, local);
        if (decision instanceof Reject reject && reject.reason() == Reason.UNKNOWN_WORKLOAD) {
            inbound.pod().await(loop, this::decideAgain);
        } else {
            actOrAsk(decision, view, local);
        }
    }

    private void decideAgain(Optional<Workload> local) {
        var view = inbound.pod().mesh().view();
        actOrAsk(decide(view, local), view, local);
    }

    private InboundDecision decide(MeshView view, Optional<Workload> local) {
        return inbound.router().decide(view, request(local), ThreadLocalRandom.current());
    }

    private InboundRequest.Captured request(Optional<Workload> local) {
        return new InboundRequest.Captured(local, at, peer);
    }

    /// A control plane may tell of a waypoint only when it is asked for it. Whatever it says, the next decision is
    /// the last.
    private void actOrAsk(InboundDecision decision, MeshView view, Optional<Workload> local) {
        var missing = decision instanceof Reject reject && reject.reason() == Reason.WAYPOINT_UNKNOWN
                ? local.flatMap(Workload::waypoint)
                : Optional.<GatewayAddress>empty();
        if (missing.isEmpty()) {
            act(decision, view);
            return;
        }
        var _ = inbound.pod()
                .mesh()
                .demand(missing.get().lookupKey())
                .whenCompleteAsync(
                        (answer, error) -> {
                            var later = inbound.pod().mesh().view();
                            act(decide(later, inbound.pod().in(later)), later);
                        },
                        loop);
    }

    private void act(InboundDecision decision, MeshView view) {
        switch (decision) {
            case Reject(var reason, var message) -> {
                inbound.telemetry().turnedAway(Reporter.DESTINATION, peer, Optional.of(at), message);
                turnAway();
                gone();
            }
            case Deny deny -> {
                turnAway();
                Admission.ofCaptured(this, loop, this::gone).deny(deny, startNanos);
            }
            case Hairpin hairpin ->
                new HairpinConnection(this, request(Optional.of(hairpin.local()))).begin(hairpin, view);
            case Forward forward -> {
                var admission = Admission.ofCaptured(this, loop, this::gone);
                switch (admission.admit(forward, view, startNanos)) {
                    case Admission.AdmissionResult.Denied denied -> turnAway();
                    case Admission.AdmissionResult.Admitted(var session) -> dial(forward, session);
                }
            }
        }
    }

    private void dial(Forward forward, Session session) {
        var source = HboneAcceptor.source(forward, peer);
        inbound.dialer().dial(loop, forward.hop(), source, new Dialer.DialListener() {
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

    /// Not registered yet: the client sees the end. A reset right after the handshake may overtake it: clients on other
    /// nodes would see their call to connect fail, as if nobody listened.
    void turnAway() {
        client.unsafe().closeForcibly();
    }

    /// Not registered yet: the client sees a reset.
    void drop() {
        client.config().setSoLinger(0);
        client.unsafe().closeForcibly();
    }

    /// It is over, as far as counting goes.
    void gone() {
        inbound.ledger().left();
        inbound.telemetry().metrics().socketClosed(Reporter.DESTINATION);
    }
}
