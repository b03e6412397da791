// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import io.fathom.fleet.join.ClusterIdentity;
import io.fathom.fleet.join.JoinToken;
import io.fathom.model.fleet.Audience;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.GatewayAddress;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.dial.GrpcStream;
import io.fathom.wire.dial.GrpcTransport;
import io.fathom.wire.dial.SocketTransport;
import io.fathom.wire.fleet.FleetClient;
import io.fathom.wire.fleet.FleetLink;
import io.fathom.wire.fleet.FleetMembership;
import io.fathom.wire.fleet.JoinOrder;
import io.fathom.wire.fleet.ServerAddress;
import io.fathom.wire.fleet.ServiceFactCodec;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.RequestWriter;
import io.fathom.wire.pki.TlsIdentity;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// A member of a fleet that says what a test wants: it may lie, flood, or send what is no message at all.
final class RawAgent implements FleetLink.LinkListener<FleetDown>, AutoCloseable {
    static final String SYNC = "fathom.fleet.v1.FleetSync/Sync";
    static final String FOLLOW = "fathom.fleet.v1.FleetReplica/Follow";
    static final String JOIN = "fathom.fleet.v1.FleetJoin/Join";
    private static final int PATIENCE_SECONDS = 60;

    final AtomicLong bytes = new AtomicLong();
    final AtomicInteger receipts = new AtomicInteger();
    final AtomicInteger slowDowns = new AtomicInteger();
    final Map<String, Integer> known = new ConcurrentHashMap<>();
    private final Map<Integer, String> paths = new ConcurrentHashMap<>();
    private final String cluster;
    private final ServerAddress server;
    private final EventLoop loop;
    private final FleetClient client;
    private final FleetMembership membership;
    private final TlsIdentity identity;
    private final KeyPair keys;
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private final CompletableFuture<FleetDown.Welcome> welcome = new CompletableFuture<>();
    private FactVersion version = FactVersion.NONE;
    private volatile @Nullable FleetLink<FleetDown> link;
    volatile boolean revoked;

    /// Joins.
    RawAgent(String cluster, int port, String tokenText, EventLoop loop) {
        this.cluster = cluster;
        this.server = new ServerAddress("127.0.0.1", port);
        this.loop = loop;
        this.client = new FleetClient(loop, InstantSource.system());
        this.keys = KeyAlgorithm.P256.generate();
        var token = JoinToken.parse(tokenText).orElseThrow();
        var csr = RequestWriter.write(keys, List.of(new ClusterIdentity("fleet", uid()).uri()));
        var order =
                new JoinOrder(token.text(), cluster, uid(), csr, List.of("cluster.local"), List.of("net-" + cluster));
        this.membership = client.join(server, token.server(), order);
        this.identity = new TlsIdentity(keys.getPrivate(), membership.chain(), membership.roots());
    }

    private RawAgent(RawAgent before, int port) {
        this.cluster = before.cluster;
        this.server = new ServerAddress("127.0.0.1", port);
        this.loop = before.loop;
        this.client = before.client;
        this.keys = before.keys;
        this.membership = before.membership;
        this.identity = before.identity;
    }

    /// The same member at another server.
    RawAgent at(int port) {
        return new RawAgent(this, port);
    }

    /// What the server had of it when the stream began.
    FleetDown.Welcome welcomed() {
        return welcome.join();
    }

    String uid() {
        return "uid-" + cluster;
    }

    /// Opens the stream, and says where the cluster is, so that others are told of its services.
    RawAgent connect(String address) {
        return connect(address, Interest.ALL);
    }

    /// The same with an interest in some services.
    RawAgent connect(String address, Interest interest) {
        open(interest);
        version = welcome.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .join()
                .last()
                .nextIncarnation();
        send(new FleetUp.Gateways(
                List.of(new GatewayFact(
                        "istio-eastwest/istio-eastwest",
                        "net-" + cluster,
                        "istio-eastwest",
                        "cluster.local",
                        List.of(new GatewayAddress(GatewayAddress.Kind.LB_IP, address, 15008, 15012)),
                        new GatewayFact.Place("", ""),
                        GatewayFact.GatewayState.ACTIVE,
                        new Audience.Everybody())),
                next()));
        send(new FleetUp.ExportsEnd(next()));
        return this;
    }

    /// Opens the stream and says no more than who it is.
    void open(Interest interest) {
        link = client.open(server, membership, identity, this);
        send(new FleetUp.Hello("raw-" + cluster, "test", uid(), List.of(), 0, interest));
    }

    FactVersion next() {
        version = version.next();
        return version;
    }

    void send(FleetUp message) {
        Objects.requireNonNull(link).send(message);
    }

    /// Says of one service how many endpoints are ready.
    void export(String name, int ready) {
        send(new FleetUp.Services(List.of(fact(name, ready)), List.of(), FleetUp.ServicePart.DELTA, next()));
    }

    static ServiceFact fact(String name, int ready) {
        return ServiceFactCodec.fact(
                new ServiceSummary(
                        "shop",
                        name,
                        List.of(new Port(80, 8080, AppProtocol.HTTP11)),
                        List.of(new ServiceSummary.LocalityShare(new Locality("", "", ""), ready)),
                        ready,
                        List.of("shop/" + name),
                        ServiceSummary.NameScope.MESH_NAME,
                        "",
                        Optional.empty()),
                1);
    }

    @Override
    public void received(FleetDown message) {
        switch (message) {
            case FleetDown.Welcome said -> welcome.complete(said);
            case FleetDown.Receipt _ -> receipts.incrementAndGet();
            case FleetDown.Revoked _ -> revoked = true;
            case FleetDown.SlowDown _ -> slowDowns.incrementAndGet();
            case FleetDown.Views said ->
                said.views().forEach(view -> {
                    paths.put(ServiceFact.key(view.path()), view.path());
                    known.put(
                            view.path(),
                            view.backends().stream()
                                    .mapToInt(share -> ServiceFactCodec.ready(share.spread()))
                                    .sum());
                });
            case FleetDown.Weights said ->
                said.weights()
                        .forEach(weight -> known.put(
                                paths.getOrDefault(weight.key(), "?"), ServiceFactCodec.ready(weight.spread())));
            default -> {}
        }
    }

    @Override
    public void ended(Optional<io.fathom.base.lang.Problem> problem) {
        ended.complete(problem.map(it -> it.code() + " " + it).orElse("in order"));
    }

    boolean isOver() {
        return ended.isDone();
    }

    /// Asks for another certificate.
    ///
    /// @throws io.fathom.base.lang.ProblemException when the server refuses
    void renew() {
        var names = List.of(new ClusterIdentity(membership.fleet(), uid()).uri());
        var _ = client.renew(server, membership, identity, RequestWriter.write(keys, names));
    }

    /// What a call with the certificate of this cluster comes to.
    Status call(String method, byte[]... messages) {
        return call(server, Optional.of(identity), method, loop, messages);
    }

    /// What a call without any certificate comes to.
    static Status callAsStranger(int port, String method, EventLoop loop, byte[]... messages) {
        return call(new ServerAddress("127.0.0.1", port), Optional.empty(), method, loop, messages);
    }

    private static Status call(
            ServerAddress server, Optional<TlsIdentity> own, String method, EventLoop loop, byte[]... messages) {
        var status = new CompletableFuture<Status>();
        var listener = new GrpcStream.GrpcStreamListener() {
            @Override
            public void received(List<ByteBuf> pieces) {
                pieces.forEach(ByteBuf::release);
            }

            @Override
            public void ended(Status how, GrpcStream.Progress progress) {
                status.complete(how);
            }
        };
        try (var stream = GrpcStream.open(transport(server, own), server.toString(), method, listener, loop)) {
            for (var message : messages) {
                stream.send(message);
            }
            return status.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        }
    }

    static SslContext tls(Optional<TlsIdentity> own) {
        try {
            var builder = SslContextBuilder.forClient()
                    .applicationProtocolConfig(new ApplicationProtocolConfig(
                            ApplicationProtocolConfig.Protocol.ALPN,
                            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                            "h2"))
                    .endpointIdentificationAlgorithm("")
                    .trustManager(InsecureTrustManagerFactory.INSTANCE);
            own.ifPresent(it -> builder.keyManager(it.key(), it.chain().toArray(X509Certificate[]::new)));
            return builder.build();
        } catch (SSLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static GrpcTransport transport(ServerAddress server, Optional<TlsIdentity> own) {
        var context = tls(own);
        return new GrpcTransport() {
            @Override
            public void connect(EventLoop loop, ChannelInitializer<Channel> handlers, ConnectListener listener) {
                SocketTransport.connect(server.host(), server.port(), loop, handlers, listener);
            }

            @Override
            public Optional<SslHandler> tls(Channel channel) {
                return Optional.of(context.newHandler(channel.alloc()));
            }

            @Override
            public Optional<String> objection(SslHandler tls) {
                return Optional.empty();
            }
        };
    }

    @Override
    public void close() {
        var opened = link;
        if (opened != null) {
            opened.close();
        }
    }
}
