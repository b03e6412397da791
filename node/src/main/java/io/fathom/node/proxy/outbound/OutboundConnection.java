// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.outbound;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.HostRequest;
import io.fathom.model.routing.OutboundDecision;
import io.fathom.model.routing.OutboundDecision.AwaitName;
import io.fathom.model.routing.OutboundDecision.Destination;
import io.fathom.model.routing.OutboundDecision.NestedTunnel;
import io.fathom.model.routing.OutboundDecision.Passthrough;
import io.fathom.model.routing.OutboundDecision.Plain;
import io.fathom.model.routing.OutboundDecision.Refuse;
import io.fathom.model.routing.OutboundRequest;
import io.fathom.node.proxy.Dialer;
import io.fathom.node.proxy.Flags;
import io.fathom.node.proxy.Forwarded;
import io.fathom.node.proxy.OpenConnection.Protocol;
import io.fathom.node.proxy.TraceParent;
import io.fathom.node.telemetry.Party;
import io.fathom.node.telemetry.ResponseFlag;
import io.fathom.wire.hbone.ConnectHeaders;
import io.fathom.wire.hbone.HboneFailure;
import io.fathom.wire.hbone.InnerTunnel;
import io.fathom.wire.hbone.Tunnel;
import io.fathom.wire.hbone.TunnelKey;
import io.fathom.wire.hbone.TunnelOpening;
import io.netty.channel.epoll.EpollSocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One outbound connection until it is relayed: decides, dials, and when an endpoint fails before a byte was sent,
/// decides again without it. Passes from event loop to event loop, but only ever does one thing at a time.
final class OutboundConnection {
    private static final int MOST_QUESTIONS = 3;
    /// A gateway that swallows what it gets must not cost a client more, while there is another way.
    private static final Duration GATEWAY_PATIENCE = Duration.ofSeconds(2);
    /// Likewise an endpoint behind one that answers.
    private static final Duration ENDPOINT_PATIENCE = Duration.ofSeconds(1);

    private final Outbound outbound;
    private final Client client;
    private final Workload source;
    private final IpPort target;
    private final Optional<String> baggage;
    private final Ending ending;
    private @Nullable OutboundRequest request;
    private int attempts;

    OutboundConnection(Outbound outbound, Client client, Workload source, IpPort target) {
        this.outbound = outbound;
        this.client = client;
        this.source = source;
        this.target = target;
        this.baggage = outbound.pod().baggage(outbound.pod().mesh().view());
        this.ending = new Ending(outbound, client, source, target);
    }

    void begin(OutboundRequest first) {
        request = first;
        var mesh = outbound.pod().mesh();
        onceKnown(
                mesh.demand(outbound.config().network() + "/" + target.ip()),
                () -> onceServed(() -> decide(first), () -> decideOrAsk(MOST_QUESTIONS)));
    }

    /// At once as a rule: only a new service whose waypoint is about to serve it lets us wait.
    private void onceServed(Supplier<OutboundDecision> decision, Runnable then) {
        if (PendingWaypoint.isWanted(decision.get())) {
            PendingWaypoint.await(
                    outbound.pod().mesh(),
                    outbound.loops().next(),
                    () -> PendingWaypoint.isWanted(decision.get()),
                    then);
        } else {
            then.run();
        }
    }

    /// Decides, and asks for a gateway that the decision wants: a waypoint, then perhaps the gateway to its network.
    private void decideOrAsk(int questions) {
        var decision = decide(Objects.requireNonNull(request));
        if (questions > 0
                && decision instanceof Refuse refused
                && refused.missing().isPresent()) {
            var wanted = refused.missing().get().lookupKey();
            onceKnown(outbound.pod().mesh().demand(wanted), () -> decideOrAsk(questions - 1));
        } else {
            execute(decision);
        }
    }

    /// At once as a rule: only a control plane that tells of what it is asked for lets us wait.
    private void onceKnown(CompletableFuture<?> known, Runnable then) {
        if (known.isDone()) {
            then.run();
        } else {
            var loop = outbound.loops().next();
            var _ = known.whenComplete((answer, error) -> loop.execute(then));
        }
    }

    void begin(HostRequest byName) {
        onceServed(() -> decide(byName), () -> execute(decide(byName)));
    }

    private OutboundDecision decide(HostRequest byName) {
        return outbound.router().decide(outbound.pod().mesh().view(), byName, ThreadLocalRandom.current());
    }

    /// Around gateways that others could not reach just now, if there is a way.
    private OutboundDecision decide(OutboundRequest wanted) {
        var failing = outbound.load().gateways().now();
        if (failing.isEmpty()) {
            return route(wanted);
        }
        var careful = wanted;
        for (var gateway : failing) {
            careful = careful.without(gateway);
        }
        var decision = route(careful);
        return decision instanceof Refuse ? route(wanted) : decision;
    }

    private OutboundDecision route(OutboundRequest wanted) {
        return outbound.router().decide(outbound.pod().mesh().view(), wanted, ThreadLocalRandom.current());
    }

    private void execute(OutboundDecision decision) {
        switch (decision) {
            case Passthrough(var to, var destination) -> dial(to, destination);
            case Plain(var hop, var destination) -> dial(hop, destination);
            case OutboundDecision.Tunnel tunnel -> tunnel(tunnel);
            case NestedTunnel nested -> nested(nested);
            case AwaitName name -> resolve(name);
            case Refuse refused ->
                client.turnAway(Optional.of(target), refused.reason().message());
        }
    }

    private void dial(IpPort to, Destination destination) {
        var hop = new Hop(to, Optional.empty(), destination, Protocol.TCP);
        outbound.dialer().dial(outbound.loops().next(), to, Optional.empty(), new Dialer.DialListener() {
            @Override
            public void connected(EpollSocketChannel server) {
                ending.relay(hop, server);
            }

            @Override
            public void failed(Dialer.Failure failure) {
                elsewhereOrFail(hop, ResponseFlag.CONNECT, failure.message());
            }
        });
    }

    private void tunnel(OutboundDecision.Tunnel tunnel) {
        var hop = new Hop(tunnel.hop(), Optional.of(tunnel.authority()), tunnel.destination(), Protocol.HBONE);
        identity(hop).ifPresent(identity -> {
            var key = new TunnelKey(identity, tunnel.peers(), tunnel.hop(), clientIp());
            var headers = headers(tunnel.authority(), tunnel.destination(), Optional.empty());
            outbound.pool().open(key, headers, new Opening(hop));
        });
    }

    /// The request inside also says which network it comes from.
    private void nested(NestedTunnel nested) {
        var gateway = nested.gateway();
        var hop = new Hop(gateway.hop(), Optional.of(nested.authority()), gateway.destination(), Protocol.DOUBLEHBONE);
        identity(hop).ifPresent(identity -> {
            var key = new TunnelKey(identity, gateway.peers(), gateway.hop(), clientIp());
            var network = Optional.of(outbound.config().network());
            var inner = new InnerTunnel(
                    identity, nested.peers(), headers(nested.authority(), gateway.destination(), network));
            var headers = headers(gateway.authority(), gateway.destination(), Optional.empty());
            var opening = new Opening(hop);
            opening.patiently(GATEWAY_PATIENCE);
            outbound.pool().openInner(key, headers, inner, opening);
        });
    }

    private Optional<Identity> identity(Hop hop) {
        var identity = source.identity();
        if (identity.isEmpty()) {
            ending.fail(hop, ResponseFlag.IDENTITY_ERROR, "the workload " + source.name() + " has no identity");
        }
        return identity;
    }

    private Ip clientIp() {
        return client.address().ip();
    }

    private ConnectHeaders headers(String authority, Destination destination, Optional<String> network) {
        var host = destination.service().map(Service::hostname);
        return new ConnectHeaders(
                authority,
                baggage,
                Optional.of(Forwarded.text(client.address(), host)),
                Optional.of(TraceParent.random()),
                network);
    }

    private void resolve(AwaitName name) {
        outbound.telemetry().metrics().nameResolved(Party.of(source), name.hostname());
        outbound.names().resolve(name.hostname(), name.preferred()).whenComplete((found, error) -> {
            if (error != null || found.isEmpty()) {
                client.turnAway(Optional.of(target), "no address for " + name.hostname());
            } else {
                execute(name.at(found.get()));
            }
        });
    }

    private final class Opening implements TunnelOpening {
        private final Hop hop;
        private final AtomicBoolean settled = new AtomicBoolean();
        private final AtomicInteger due = new AtomicInteger();
        private volatile boolean halfway;

        Opening(Hop hop) {
            this.hop = hop;
        }

        /// Goes elsewhere after that time, if there is another way then. Nothing of the client's was sent by now.
        void patiently(Duration patience) {
            var current = due.incrementAndGet();
            var loop = outbound.loops().next();
            var _ = loop.schedule(
                    () -> {
                        if (due.get() == current && anotherWay(hop).isPresent() && settled.compareAndSet(false, true)) {
                            late(patience);
                        }
                    },
                    patience.toMillis(),
                    TimeUnit.MILLISECONDS);
        }

        private void late(Duration patience) {
            if (!halfway) {
                hop.destination()
                        .workload()
                        .ifPresent(gateway -> outbound.load().gateways().failed(gateway.uid()));
            }
            elsewhereOrFail(
                    hop,
                    ResponseFlag.CONNECT,
                    "no answer from " + (halfway ? "behind gateway " : "gateway ") + hop.address() + " within "
                            + patience.toMillis() + "ms");
        }

        @Override
        public void halfway() {
            halfway = true;
            hop.destination()
                    .workload()
                    .ifPresent(gateway -> outbound.load().gateways().worked(gateway.uid()));
            patiently(ENDPOINT_PATIENCE);
        }

        @Override
        public void opened(Opened opened) {
            if (settled.compareAndSet(false, true)) {
                ending.relay(hop, opened);
            } else {
                opened.tunnel().reset(Tunnel.Reset.CANCELLED); // the client went elsewhere
            }
        }

        @Override
        public void failed(HboneFailure failure) {
            if (!settled.compareAndSet(false, true)) {
                return;
            }
            var message = failure.problem().message();
            if (hop.protocol() == Protocol.DOUBLEHBONE && isOfTheWayThere(failure)) {
                hop.destination()
                        .workload()
                        .ifPresent(gateway -> outbound.load().gateways().failed(gateway.uid()));
            }
            if (failure.worthTryingElsewhere()) {
                elsewhereOrFail(hop, Flags.of(failure), message);
            } else {
                ending.fail(hop, Flags.of(failure), message);
            }
        }
    }

    /// What is behind a gateway does not matter to whoever wants something else there.
    private static boolean isOfTheWayThere(HboneFailure failure) {
        return switch (failure) {
            case HboneFailure.DialTimeout _, HboneFailure.DialFailed _, HboneFailure.HandshakeTimeout _ -> true;
            case HboneFailure.CertificateMissing _,
                    HboneFailure.TlsFailed _,
                    HboneFailure.WrongPeer _,
                    HboneFailure.Revoked _,
                    HboneFailure.Http2Failed _,
                    HboneFailure.ReplyTimeout _,
                    HboneFailure.Refused _,
                    HboneFailure.Closed _ -> false;
        };
    }

    /// Goes on with another endpoint if there is one; what is told if not is why this one failed.
    private void elsewhereOrFail(Hop hop, ResponseFlag flag, String message) {
        var way = anotherWay(hop);
        if (way.isPresent()) {
            attempts++;
            request = way.get().request();
            execute(way.get().decision());
        } else {
            ending.fail(hop, flag, message);
        }
    }

    /// Where to go when that endpoint or gateway does not answer.
    private Optional<Way> anotherWay(Hop hop) {
        var failed = hop.destination().workload().map(Workload::uid);
        if (request == null
                || failed.isEmpty()
                || attempts + 1 >= outbound.config().attempts()) {
            return Optional.empty();
        }
        var next = request.without(failed.get());
        var decision = decide(next);
        return Hop.endpoint(decision).filter(uid -> !next.tried().contains(uid)).map(_ -> new Way(next, decision));
    }

    private record Way(OutboundRequest request, OutboundDecision decision) {}
}
