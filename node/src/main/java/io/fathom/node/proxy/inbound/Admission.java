package io.fathom.node.proxy.inbound;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Attempt;
import io.fathom.model.policy.AuthorizationDecision;
import io.fathom.model.policy.Authorizer;
import io.fathom.model.routing.InboundDecision.Deny;
import io.fathom.model.routing.InboundDecision.Forward;
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

    /// The session, unless policies have changed against it meanwhile: then the reason.
    Outcome admit(Forward forward, MeshView decidedOn, long startNanos) {
        log(forward.authorization(), forward.destination());
        var facts = facts(
                forward.destination(),
                forward.local(),
                Called.of(forward.service()),
                forward.client(),
                forward.authorization());
        var session = new Session(loop, inbound.telemetry().open(facts, startNanos), inbound.ledger(), afterwards);
        var attempt = new Attempt(identity(), peer.ip(), forward.destination());
        session.enter(
                new OpenConnection.Shown(
                        OpenConnection.Direction.INBOUND, peer, originalDestination, forward.hop(), protocol),
                Optional.of(attempt),
                tls);
        var now = inbound.pod().mesh().view();
        if (now != decidedOn) {
            var local = inbound.pod().in(now).orElse(forward.local());
            var again = Authorizer.decide(now.policies(), local, attempt);
            if (!again.isAllowed()) {
                session.fail(ResponseFlag.DENY, again.message());
                return new Outcome.Denied(again.message());
            }
        }
        return new Outcome.Admitted(session);
    }

    /// What came of it.
    sealed interface Outcome {
        record Admitted(Session session) implements Outcome {}

        record Denied(String message) implements Outcome {}
    }

    void deny(Deny deny, long startNanos) {
        log(deny.authorization(), deny.destination());
        var facts =
                facts(deny.destination(), deny.local(), Called.of(deny.service()), deny.client(), deny.authorization());
        inbound.telemetry()
                .open(facts, startNanos)
                .end(ResponseFlag.DENY, deny.authorization().message());
        afterwards.run();
    }

    private Optional<Identity> identity() {
        return tls.identity();
    }

    /// Only who asked for it is told of each decision; denials are in the access log anyway.
    private void log(AuthorizationDecision decision, IpPort destination) {
        var level = inbound.config().decisions();
        if (!POLICY.isEnabledForLevel(level)) {
            return;
        }
        decision.dryRun().forEach(result -> POLICY.atLevel(level).log("{}", result.message()));
        POLICY.atLevel(level)
                .addKeyValue("src.addr", peer)
                .addKeyValue("src.identity", identity().map(Identity::uri).orElse(""))
                .addKeyValue("dst.addr", destination)
                .log("{}", decision.message());
    }

    private ConnectionFacts facts(
            IpPort destination,
            Workload local,
            Called service,
            Optional<Workload> client,
            AuthorizationDecision decision) {
        var isTunnel = protocol == Protocol.HBONE;
        var source = client.map(Party::of).or(() -> said).orElse(Party.UNKNOWN);
        var own = Party.of(local);
        return new ConnectionFacts(
                Reporter.DESTINATION,
                peer,
                source.proven(identity()),
                isTunnel ? at : destination,
                isTunnel ? Optional.of(destination.toString()) : Optional.empty(),
                isTunnel ? own.proven(local.identity()) : own,
                service,
                isTunnel ? Security.MUTUAL_TLS : Security.UNKNOWN,
                decision.policy());
    }
}
