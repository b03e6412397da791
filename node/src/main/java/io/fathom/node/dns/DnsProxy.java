// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.routing.MeshView;
import io.fathom.node.socket.Sockets;
import io.fathom.wire.net.SocketAddresses;
import io.netty.bootstrap.AbstractBootstrap;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.UnixChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The name server of one pod, over UDP and TCP. All of it lives on one event loop; start and close it from elsewhere.
public final class DnsProxy implements AutoCloseable {
    public static final int PORT = 15053;

    private static final int LONGEST_QUERY = 4096;
    private static final int IDLE_SECONDS = 5;
    private static final int EADDRNOTAVAIL = 99;

    private final ChannelGroup channels;

    private DnsProxy(EventLoop loop) {
        this.channels = new DefaultChannelGroup(loop, true);
    }

    /// What it needs.
    ///
    /// @param servers asked for each query, so that it may change
    /// @param random for ids and for the order of addresses: hard to guess, such as a SecureRandom
    public record Setup(
            EventLoop loop,
            Sockets sockets,
            Supplier<MeshView> mesh,
            ClientLookup client,
            Supplier<ResolvConf> servers,
            DnsConfig config,
            DnsObserver observer,
            InstantSource clock,
            RandomGenerator random) {}

    /// Listens on the loopback addresses of the namespace. IPv6 is left out where it is off.
    public static DnsProxy start(Setup setup) throws ProblemException {
        var addresses = new ArrayList<IpPort>();
        if (setup.config().ipv6() == DnsConfig.Ipv6.ON) {
            var loopback = new byte[16];
            loopback[15] = 1;
            addresses.add(new IpPort(Ip.ofBytes(loopback), PORT));
        }
        addresses.add(new IpPort(Ip.ofBytes(new byte[] {127, 0, 0, 1}), PORT));
        return start(setup, addresses);
    }

    /// Listens on these addresses; one of IPv6 may be missing.
    public static DnsProxy start(Setup setup, List<IpPort> addresses) throws ProblemException {
        var proxy = new DnsProxy(setup.loop());
        var service = new DnsService(setup);
        try {
            addresses.forEach(address -> proxy.listen(setup, service, address));
            return proxy;
        } catch (ProblemException e) {
            proxy.close();
            throw e;
        }
    }

    private void listen(Setup setup, DnsService service, IpPort address) {
        var at = SocketAddresses.of(address);
        var datagrams = setup.sockets().boundDatagram(address);
        var bound = opened(
                setup,
                address,
                begin(
                        new Bootstrap()
                                .group(setup.loop())
                                .channelFactory(() -> datagrams.orElseGet(() ->
                                        setup.sockets().datagram(address.ip().family())))
                                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(LONGEST_QUERY))
                                .handler(new DatagramHandler(service)),
                        datagrams,
                        at));
        var samePort = bound.map(Channel::localAddress).orElse(at); // also if the port was left to the system
        var streams = setup.sockets().boundListener(address);
        var _ = opened(
                setup,
                address,
                begin(
                        new ServerBootstrap()
                                .group(setup.loop())
                                .channelFactory(() -> streams.orElseGet(() ->
                                        setup.sockets().listener(address.ip().family())))
                                .option(ChannelOption.SO_BACKLOG, 128)
                                .childHandler(new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        channels.add(channel);
                                        channel.pipeline()
                                                .addLast(new IdleStateHandler(0, 0, IDLE_SECONDS))
                                                .addLast(new LengthFieldBasedFrameDecoder(
                                                        Upstream.LONGEST_MESSAGE + 2, 0, 2, 0, 2))
                                                .addLast(new StreamHandler(service));
                                    }
                                }),
                        streams,
                        samePort));
    }

    /// One that the proxy before has left is bound.
    private static ChannelFuture begin(AbstractBootstrap<?, ?> bootstrap, Optional<?> left, SocketAddress at) {
        return left.isPresent() ? bootstrap.register() : bootstrap.bind(at);
    }

    /// Empty if there is no such address here.
    private Optional<Channel> opened(Setup setup, IpPort address, ChannelFuture binding) {
        if (!binding.awaitUninterruptibly().isSuccess()) {
            if (isAbsent(binding.cause()) && address.ip().family() == Ip.Family.V6) {
                return Optional.empty();
            }
            throw new ProblemException(new Problem(
                    "dns-cannot-listen",
                    "cannot listen for DNS on " + address + ": " + binding.cause(),
                    "free the port in the pod, or turn DNS capture off",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
        channels.add(binding.channel());
        setup.sockets().bound(address, (UnixChannel) binding.channel());
        return Optional.of(binding.channel());
    }

    private static boolean isAbsent(@Nullable Throwable cause) {
        return cause instanceof Errors.NativeIoException failure && -failure.expectedErr() == EADDRNOTAVAIL;
    }

    /// Where it listens.
    List<IpPort> addresses() {
        return channels.stream()
                .filter(channel -> channel instanceof DatagramChannel)
                .map(channel -> SocketAddresses.of((InetSocketAddress) channel.localAddress()))
                .toList();
    }

    /// Answers no more; frees the ports before it returns.
    @Override
    public void close() {
        channels.close().awaitUninterruptibly();
    }
}
