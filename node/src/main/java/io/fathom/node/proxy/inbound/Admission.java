// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.inbound;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.policy.Attempt;
import io.fathom.model.policy.Authorizer;
import io.fathom.model.routing.InboundDecision.Deny;
import io.fathom.model.routing.InboundDecision.Forward;
import io.fathom.model.routing.InboundDecision.Hairpin;
import io.fathom.model.routing.InboundDecision.Judged;
import io.fathom.model.routing.MeshView;
import io.fathom.node.proxy.OpenConnection;
import io.fathom.node.proxy.OpenConnection.Protocol;
import io.fathom.node.proxy.Session;
import io.fathom.node.telemetry.Called;
import io.fathom.node.telemetry.ConnectionFacts;
import io.fathom.node.telemetry.Party;
import io.fathom.node.telemetry.Reporter;
import io.fathom.node.telemetry.ResponseFlag;
import io.fathom.node.telemetry.Security;
import io.fathom.wire.tls.TlsPeer;
import io.netty.channel.EventLoop;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets one inbound connection in, or not: it is entered in the ledger first, and then policies are asked on the latest
/// view, so a change of policy cannot fall between. On the connection's event loop.
///
/// @param at where it arrived
/// @param protocol by which it arrived
/// @param said what the client says about itself, when nothing better is known
record Admission(
        Inbound inbound,
        EventLoop loop,
        IpPort peer,
        IpPort at,
        TlsPeer tls,
        Protocol protocol,
        Optional<String> originalDestination,
        Optional<Party> said,
        Runnable afterwards) {
    private static final Logger POLICY = LoggerFactory.getLogger("io.fathom.node.proxy.policy");

    /// Of a connection that came in plain text.
    static Admission ofCaptured(CapturedConnection captured, EventLoop loop, Runnable afterwards) {
        return new Admission(
                captured.inbound(),
                loop,
                captured.peer(),
                captured.at(),
                TlsPeer.NONE,
                Protocol.TCP,
                Optional.empty(),
                Optional.empty(),
                afterwards);
    }

    /// The session, unless policies have changed against it meanwhile: then the reason.
    AdmissionResult admit(Forward forward, MeshView decidedOn, long startNanos) {
        var attempt = new Attempt(identity(), peer.ip(), forward.destination());
        var shown = new OpenConnection.Shown(
                OpenConnection.Direction.INBOUND, peer, originalDestination, forward.hop(), protocol);
        return admit(forward, attempt, shown, tls, decidedOn, startNanos);
    }

    /// The same for what goes through a tunnel to the pod's waypoint, which has answered as `waypoint`.
    AdmissionResult admit(Hairpin hairpin, TlsPeer waypoint, MeshView decidedOn, long startNanos) {
        var attempt = new Attempt(
                identity(), peer.ip(), hairpin.destination(), hairpin.waypoint().identity());
        var shown = new OpenConnection.Shown(
                OpenConnection.Direction.INBOUND,
                peer,
                Optional.of(hairpin.destination().toString()),
                hairpin.hop(),
                Protocol.HBONE);
        return admit(hairpin, attempt, shown, waypoint, decidedOn, startNanos);
    }

    private AdmissionResult admit(
            Judged judged,
            Attempt attempt,
            OpenConnection.Shown shown,
            TlsPeer chain,
            MeshView decidedOn,
            long startNanos) {
        log(judged);
        var session =
                new Session(loop, inbound.telemetry().open(facts(judged), startNanos), inbound.ledger(), afterwards);
        session.enter(shown, Optional.of(attempt), chain);
        var now = inbound.pod().mesh().view();
        if (now != decidedOn) {
            var local = inbound.pod().in(now).orElse(judged.local());
            var again = Authorizer.decide(now.policies(), local, attempt);
            if (!again.isAllowed()) {
                session.fail(ResponseFlag.DENY, again.message());
                return new AdmissionResult.Denied(again.message());
            }
        }
        return new AdmissionResult.Admitted(session);
    }

    /// What came of it.
    sealed interface AdmissionResult {
        record Admitted(Session session) implements AdmissionResult {}

        record Denied(String message) implements AdmissionResult {}
    }

    void deny(Deny deny, long startNanos) {
        log(deny);
        fail(deny, ResponseFlag.DENY, deny.authorization().message(), startNanos);
    }

    /// It is over without having begun.
    void fail(Judged judged, ResponseFlag flag, String message, long startNanos) {
        inbound.telemetry().open(facts(judged), startNanos).end(flag, message);
        afterwards.run();
    }

    private Optional<Identity> identity() {
        return tls.identity();
    }

    /// Only who asked for it is told of each decision; denials are in the access log anyway.
    private void log(Judged judged) {
        var level = inbound.config().decisions();
        if (!POLICY.isEnabledForLevel(level)) {
            return;
        }
        var decision = judged.authorization();
        decision.dryRun().forEach(result -> POLICY.atLevel(level).log("{}", result.message()));
        POLICY.atLevel(level)
                .addKeyValue("src.addr", peer)
                .addKeyValue("src.identity", identity().map(Identity::uri).orElse(""))
                .addKeyValue("dst.addr", judged.destination())
                .log("{}", decision.message());
    }

    private ConnectionFacts facts(Judged judged) {
        var source = judged.client().map(Party::of).or(() -> said).orElse(Party.UNKNOWN);
        var own = Party.of(judged.local());
        var isTunnel = protocol == Protocol.HBONE;
        var destination = judged.destination();
        var tunnelEnd = judged instanceof Hairpin hairpin ? hairpin.hop() : at;
        var isTunnelled = isTunnel || judged instanceof Hairpin;
        return new ConnectionFacts(
                Reporter.DESTINATION,
                peer,
                source.proven(identity()),
                isTunnelled ? tunnelEnd : destination,
                isTunnelled ? Optional.of(destination.toString()) : Optional.empty(),
                isTunnel ? own.proven(judged.local().identity()) : own,
                Called.of(judged.service()),
                isTunnel ? Security.MUTUAL_TLS : Security.UNKNOWN,
                judged.authorization().policy());
    }
}
