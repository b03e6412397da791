// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.inbound;

import io.fathom.model.routing.InboundDecision.Hairpin;
import io.fathom.model.routing.InboundRequest;
import io.fathom.model.routing.MeshView;
import io.fathom.node.proxy.Flags;
import io.fathom.node.proxy.Forwarded;
import io.fathom.node.proxy.Session;
import io.fathom.node.proxy.TraceParent;
import io.fathom.node.proxy.relay.Relay;
import io.fathom.node.telemetry.ResponseFlag;
import io.fathom.wire.hbone.ConnectHeaders;
import io.fathom.wire.hbone.HboneFailure;
import io.fathom.wire.hbone.Tunnel;
import io.fathom.wire.hbone.TunnelKey;
import io.fathom.wire.hbone.TunnelOpening;
import io.netty.buffer.Unpooled;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/// Sends one captured connection through the waypoint of its pod, over a tunnel with the pod's certificate that says
/// whose connection it carries. When an endpoint of the waypoint fails before a byte was sent, another is tried; when
/// there is none, the connection ends. It never goes to the application directly.
///
/// Passes from event loop to event loop, but only ever does one thing at a time.
final class HairpinConnection {
    private final Inbound inbound;
    private final CapturedConnection captured;
    private InboundRequest.Captured request;
    private int attempts;

    HairpinConnection(CapturedConnection captured, InboundRequest.Captured request) {
        this.inbound = captured.inbound();
        this.captured = captured;
        this.request = request;
    }

    void begin(Hairpin hairpin, MeshView view) {
        var key = new TunnelKey(
                hairpin.identity(),
                hairpin.peers(),
                hairpin.hop(),
                hairpin.destination().ip());
        var headers = ConnectHeaders.plainText(
                hairpin.destination().toString(),
                Forwarded.text(captured.peer(), Optional.empty()),
                TraceParent.random());
        inbound.pool().open(key, headers, new Opening(hairpin, view));
    }

    private final class Opening implements TunnelOpening {
        private final Hairpin hairpin;
        private final MeshView view;

        Opening(Hairpin hairpin, MeshView view) {
            this.hairpin = hairpin;
            this.view = view;
        }

        @Override
        public void opened(Opened opened) {
            var tunnel = opened.tunnel();
            var waypoint = hairpin.waypoint().uid();
            inbound.load().opened(waypoint);
            var admission = Admission.ofCaptured(captured, tunnel.loop(), () -> {
                inbound.load().closed(waypoint);
                captured.gone();
            });
            switch (admission.admit(hairpin, opened.peer(), view, captured.startNanos())) {
                case Admission.AdmissionResult.Denied denied -> {
                    tunnel.reset(Tunnel.Reset.CANCELLED);
                    captured.turnAway();
                }
                case Admission.AdmissionResult.Admitted(var session) -> relay(session, tunnel);
            }
        }

        @Override
        public void failed(HboneFailure failure) {
            if (failure.worthTryingElsewhere() && ++attempts < inbound.config().attempts()) {
                var next = request.without(hairpin.waypoint().uid());
                var now = inbound.pod().mesh().view();
                if (inbound.router().decide(now, next, ThreadLocalRandom.current()) instanceof Hairpin other
                        && !next.tried().contains(other.waypoint().uid())) {
                    request = next;
                    begin(other, now);
                    return;
                }
            }
            captured.drop();
            Admission.ofCaptured(captured, captured.loop(), captured::gone)
                    .fail(hairpin, Flags.of(failure), failure.problem().message(), captured.startNanos());
        }
    }

    private void relay(Session session, Tunnel tunnel) {
        if (session.isCut()) {
            tunnel.reset(Tunnel.Reset.CANCELLED);
            session.failCut();
            captured.drop();
            return;
        }
        tunnel.loop().register(captured.client()).addListener(registered -> {
            if (registered.isSuccess()) {
                session.start(Relay.of(captured.client(), tunnel, session), Unpooled.EMPTY_BUFFER);
            } else {
                tunnel.reset(Tunnel.Reset.CANCELLED);
                session.fail(ResponseFlag.NONE, "the client has gone");
            }
        });
    }
}
