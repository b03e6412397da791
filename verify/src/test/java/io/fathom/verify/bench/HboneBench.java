// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.hbone.ConnectHeaders;
import io.fathom.wire.hbone.HboneFailure;
import io.fathom.wire.hbone.HboneLimits;
import io.fathom.wire.hbone.HbonePool;
import io.fathom.wire.hbone.HboneServer;
import io.fathom.wire.hbone.Tunnel;
import io.fathom.wire.hbone.TunnelKey;
import io.fathom.wire.hbone.TunnelListener;
import io.fathom.wire.hbone.TunnelOpening;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.PeerRules;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// HBONE alone, without pods, routing or policy: a client's pool and a server on loopback, an event loop each.
/// Prints bulk throughput, small messages that are echoed, and tunnels opened and closed.
public final class HboneBench {
    private static final Identity CLIENT = new Identity("cluster.local", "bench", "client");
    private static final Identity SERVER = new Identity("cluster.local", "bench", "server");
    private static final int ROUNDS = 4;
    private static final Duration ROUND = Duration.ofSeconds(2);
    private static final int STREAMS = 64;
    private static final int VISITORS = 16;
    private static final int MESSAGE = 256;
    private static final int PIECE = 64 * 1024;

    private final LongAdder count = new LongAdder();
    private volatile boolean stopping;

    private HboneBench() {}

    public static void main(String[] args) throws InterruptedException {
        new HboneBench().run();
        System.exit(0); // event loops need no farewell
    }

    private void run() throws InterruptedException {
        var clock = InstantSource.system();
        var certificates = new Certificates(clock);
        var tls = new MeshTls(PeerRules.of(Set.of(), clock));
        var loops = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
        var server = new HboneServer(SERVER, certificates, tls, HboneLimits.DEFAULT, (request, reply) -> {
            var tunnel = reply.accept(Optional.empty());
            tunnel.listen(request.headers().authority().equals("sink:1") ? new Sink(tunnel) : new Echo(tunnel));
        });
        var clientLoop = loops.next();
        var listener = new ServerBootstrap()
                .group(loops.next())
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        server.serve(channel);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        var port = ((InetSocketAddress) listener.localAddress()).getPort();
        var hop = IpPort.parse("127.0.0.1:" + port).orElseThrow();
        var key =
                new TunnelKey(CLIENT, Set.of(SERVER), hop, Ip.parse("127.0.0.1").orElseThrow());
        var pool = new HbonePool(List.of(clientLoop), EpollSocketChannel::new, certificates, tls, HboneLimits.DEFAULT);
        for (int round = 1; round <= ROUNDS; round++) {
            var bulk = measured(() -> pool.open(key, ConnectHeaders.to("sink:1"), new Source()));
            var messages = measured(() -> {
                for (int i = 0; i < STREAMS; i++) {
                    pool.open(key, ConnectHeaders.to("echo:1"), new Talker());
                }
            });
            var tunnels = measured(() -> {
                for (int i = 0; i < VISITORS; i++) {
                    new Visitor(pool, key).come();
                }
            });
            System.out.printf(
                    "round %d: bulk %.0f MB/s (%.2f CPU s/GB), %d-byte messages of %d streams %.0f/s (%.2f us each),"
                            + " tunnels %.0f/s (%.2f us each)%n",
                    round,
                    bulk.rate() / 1e6,
                    bulk.cpu() * 1e9,
                    MESSAGE,
                    STREAMS,
                    messages.rate(),
                    messages.cpu() * 1e6,
                    tunnels.rate(),
                    tunnels.cpu() * 1e6);
        }
    }

    /// How many a second, and seconds of CPU for each.
    private record Figures(double rate, double cpu) {}

    private static double cpuSeconds() {
        return ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toNanos()
                / 1e9;
    }

    private Figures measured(Runnable start) {
        stopping = false;
        start.run();
        LockSupport.parkNanos(ROUND.toNanos() / 2);
        count.reset();
        var cpuBefore = cpuSeconds();
        var began = System.nanoTime();
        LockSupport.parkNanos(ROUND.toNanos());
        var sum = count.sum();
        var seconds = (System.nanoTime() - began) / 1e9;
        var cpu = cpuSeconds() - cpuBefore;
        stopping = true;
        LockSupport.parkNanos(ROUND.toNanos() / 4);
        return new Figures(sum / seconds, cpu / Math.max(1, sum));
    }

    private static ByteBuf buffer(int length) {
        return ByteBufAllocator.DEFAULT.directBuffer(length).writerIndex(length);
    }

    /// An authority of its own.
    private static final class Certificates implements CertificateSource {
        private final InstantSource clock;
        private final SigningMaterial material;
        private final ConcurrentHashMap<Identity, TlsIdentity> issued = new ConcurrentHashMap<>();

        Certificates(InstantSource clock) {
            this.clock = clock;
            var keys = KeyAlgorithm.P256.generate();
            var start = clock.instant().minusSeconds(60);
            var root = RootCertificate.create(keys, "cluster.local", start, Duration.ofDays(1));
            material = new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root));
        }

        @Override
        public CompletionStage<TlsIdentity> certificate(Identity identity) {
            return CompletableFuture.completedFuture(issued.computeIfAbsent(identity, this::issue));
        }

        private TlsIdentity issue(Identity identity) {
            var keys = KeyAlgorithm.P256.generate();
            var leaf = new Leaf(
                    SubjectKey.of(keys.getPublic()), List.of(identity.uri()), Leaf.Subject.EMPTY, Duration.ofHours(1));
            var certificate = new Issuer(material).sign(leaf, clock.instant()).certificate();
            return new TlsIdentity(keys.getPrivate(), List.of(certificate), material.roots());
        }
    }

    /// What all listeners do not care about.
    private abstract static class Quiet implements TunnelListener {
        @Override
        public void readComplete() {}

        @Override
        public void writable() {}

        @Override
        public void finished() {}

        @Override
        public void reset(Tunnel.Reset reason) {}
    }

    private final class Sink extends Quiet {
        private final Tunnel tunnel;

        Sink(Tunnel tunnel) {
            this.tunnel = tunnel;
        }

        @Override
        public void received(ByteBuf data) {
            var length = data.readableBytes();
            count.add(length);
            data.release();
            tunnel.consumed(length);
        }
    }

    private static final class Echo extends Quiet {
        private final Tunnel tunnel;

        Echo(Tunnel tunnel) {
            this.tunnel = tunnel;
        }

        @Override
        public void received(ByteBuf data) {
            tunnel.consumed(data.readableBytes());
            tunnel.write(data);
        }

        @Override
        public void readComplete() {
            tunnel.flush();
        }

        @Override
        public void finished() {
            tunnel.finish();
        }
    }

    /// The client's side of a tunnel.
    private abstract static class Client extends Quiet implements TunnelOpening {
        @Nullable
        Tunnel tunnel;

        @Override
        public void opened(Opened opened) {
            tunnel = opened.tunnel();
            tunnel.listen(this);
            begin(tunnel);
        }

        abstract void begin(Tunnel out);

        @Override
        public void failed(HboneFailure failure) {
            System.err.println(failure.problem());
        }

        @Override
        public void received(ByteBuf data) {
            var length = data.readableBytes();
            data.release();
            if (tunnel != null) {
                tunnel.consumed(length);
                answered(tunnel, length);
            }
        }

        void answered(Tunnel out, int length) {}
    }

    private final class Source extends Client {
        @Override
        void begin(Tunnel out) {
            while (out.isWritable()) {
                out.write(buffer(PIECE));
            }
            out.flush();
        }

        @Override
        public void writable() {
            if (tunnel == null) {
                return;
            }
            if (stopping) {
                tunnel.reset(Tunnel.Reset.CANCELLED);
            } else {
                begin(tunnel);
            }
        }
    }

    private final class Talker extends Client {
        private int missing;

        @Override
        void begin(Tunnel out) {
            missing = MESSAGE;
            out.write(buffer(MESSAGE));
            out.flush();
        }

        @Override
        void answered(Tunnel out, int length) {
            missing -= length;
            if (missing == 0) {
                count.increment();
                if (stopping) {
                    out.finish();
                } else {
                    begin(out);
                }
            }
        }
    }

    /// Opens a tunnel, says a word, leaves, and comes again.
    private final class Visitor extends Client {
        private final HbonePool pool;
        private final TunnelKey key;

        Visitor(HbonePool pool, TunnelKey key) {
            this.pool = pool;
            this.key = key;
        }

        void come() {
            pool.open(key, ConnectHeaders.to("echo:1"), this);
        }

        @Override
        void begin(Tunnel out) {
            out.write(buffer(8));
            out.finish();
        }

        @Override
        public void finished() {
            count.increment();
            if (!stopping) {
                come();
            }
        }
    }
}
