// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.net.SocketAddresses;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.UnixChannelOption;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class NamespaceSocketsTest {
    private static final IntegerUnixChannelOption SO_MARK = new IntegerUnixChannelOption("TEST_SO_MARK", 1, 36);

    private final Loops loops = new Loops();
    private TestNamespace pod;
    private PodSockets pods;
    private NamespaceSockets sockets;

    @BeforeEach
    void enter() throws Exception {
        pod = TestNamespace.create();
        pods = PodSockets.start(SocketConfig.IN_POD);
        sockets = pods.in(NetworkNamespace.open(pod.path()));
    }

    @AfterEach
    void leave() {
        sockets.close();
        pods.close();
        loops.close();
        pod.close();
    }

    /// Seed 001 shows the listener for DNS as `127.0.0.1:15053`.
    @Test
    void givenAListenerForOneAddress_thenToolsShowThatAddress() throws Exception {
        var _ = loops.accept(sockets.listener(Ip.Family.V4), "127.0.0.1", 15053);
        var _ = loops.accept(sockets.listener(Ip.Family.V6), "::1", 15053);
        var _ = loops.accept(sockets.listener(), "::", 15001);

        assertThat(pod.run("ss", "-Htln").lines().map(line -> line.split(" +", -1)[3]))
                .containsExactlyInAnyOrder("127.0.0.1:15053", "[::1]:15053", "*:15001");
    }

    @Test
    void givenListenerInPod_whenPodConnects_thenServedFromOutside_andOutsideCannotReachIt() throws Exception {
        for (var loopback : new String[] {"127.0.0.1", "::1"}) {
            var port = loopback.equals("::1") ? 15008 : 15001;
            var accepted = loops.accept(sockets.listener(), "::", port);

            var client = loops.connect(sockets.stream(), loopback, port);
            var server = Objects.requireNonNull(accepted.poll(5, TimeUnit.SECONDS));

            assertThat(OriginalDestination.of(server))
                    .describedAs("nothing was redirected")
                    .isEqualTo(SocketAddresses.of(client.remoteAddress()));
            assertThat(mark(server)).describedAs("inherited").isEqualTo(1337);
            assertThatExceptionOfType(ConnectException.class)
                    .isThrownBy(() -> loops.connect(new OwnSockets(SocketConfig.PLAIN).stream(), loopback, port));
            SocketMaker.discard(server);
        }
    }

    @Test
    void whenSocketsAreMade_thenMarkAndOptionsAreSet() {
        var listener = sockets.listener();
        var stream = sockets.stream();
        var datagram = sockets.datagram();

        assertThat(mark(listener)).isEqualTo(1337);
        assertThat(mark(stream)).isEqualTo(1337);
        assertThat(mark(datagram)).isEqualTo(1337);
        assertThat(listener.config().getOption(UnixChannelOption.SO_REUSEPORT)).isTrue();
        assertThat(listener.config().getOption(EpollChannelOption.IP_TRANSPARENT))
                .isTrue();
        assertThat(sockets.canKeepSource()).isTrue();
        assertThat(stream.config().getOption(ChannelOption.TCP_NODELAY)).isTrue();
        assertThat(stream.config().getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
        assertThat(stream.config().getOption(EpollChannelOption.TCP_KEEPIDLE)).isEqualTo(180);
        assertThat(stream.config().getOption(EpollChannelOption.TCP_KEEPINTVL)).isEqualTo(180);
        assertThat(stream.config().getOption(EpollChannelOption.TCP_KEEPCNT)).isEqualTo(9);
        assertThat(stream.config().getOption(EpollChannelOption.TCP_USER_TIMEOUT))
                .isZero();
        for (var channel : new Channel[] {listener, stream, datagram}) {
            SocketMaker.discard(channel);
        }
    }

    @Test
    void givenUserTimeout_thenItIsAsLongAsKeepaliveTakes() {
        var keepalive = new Keepalive(Duration.ofSeconds(10), Duration.ofSeconds(5), 3, Keepalive.UserTimeout.ON);
        var stream = new OwnSockets(new SocketConfig(
                        OptionalInt.empty(),
                        SocketConfig.PortReuse.NO,
                        SocketConfig.KeepSource.NEVER,
                        SocketConfig.Families.IPV4,
                        Optional.of(keepalive)))
                .stream();
        assertThat(stream.config().getOption(EpollChannelOption.TCP_USER_TIMEOUT))
                .isEqualTo(25_000);
        SocketMaker.discard(stream);
    }

    @Test
    void givenOldListener_whenNewOneBindsSamePort_thenBothServe() throws Exception {
        var old = sockets.listener();
        var oldAccepted = loops.accept(old, "::", 15001);
        var newAccepted = loops.accept(sockets.listener(), "::", 15001);
        old.close().syncUninterruptibly();

        var _ = loops.connect(sockets.stream(), "127.0.0.1", 15001);
        SocketMaker.discard(Objects.requireNonNull(newAccepted.poll(5, TimeUnit.SECONDS)));
        assertThat(oldAccepted).isEmpty();
    }

    @Test
    void givenRedirectedConnection_thenOriginalDestinationIsFound() throws Exception {
        assumeTrue(Files.exists(Path.of("/usr/sbin/nft")), "needs nft");
        pod.run("ip", "route", "add", "local", "10.9.8.0/24", "dev", "lo");
        pod.run("ip", "-6", "route", "add", "local", "fd00:9::/64", "dev", "lo");
        pod.run(
                "nft",
                "add table inet t; add chain inet t o { type nat hook output priority -100; }; "
                        + "add rule inet t o meta mark != 1337 tcp dport 80 redirect to :15001");
        var accepted = loops.accept(sockets.listener(), "::", 15001);
        var plain = PodSockets.start(SocketConfig.PLAIN);
        try (plain;
                var application = plain.in(sockets.namespace().duplicate())) {
            for (var target : new String[] {"10.9.8.7", "fd00:9::7"}) {
                var _ = loops.connect(application.stream(), target, 80);
                var server = Objects.requireNonNull(accepted.poll(5, TimeUnit.SECONDS));
                assertThat(OriginalDestination.of(server))
                        .isEqualTo(new IpPort(Ip.parse(target).orElseThrow(), 80));
                SocketMaker.discard(server);
            }
        }
    }

    @Test
    void givenKeptSource_whenStreamIsBoundToClientsAddress_thenApplicationSeesIt() throws Exception {
        pod.run("ip", "route", "add", "local", "192.0.2.0/24", "dev", "lo");
        pod.run("ip", "-6", "route", "add", "local", "2001:db8::/64", "dev", "lo");
        var accepted = loops.accept(sockets.listener(), "::", 8080);
        for (var addresses : new String[][] {{"127.0.0.1", "192.0.2.9"}, {"::1", "2001:db8::9"}}) {
            var stream = sockets.stream();
            stream.config().setOption(EpollChannelOption.IP_TRANSPARENT, true);
            loops.register(stream, new ChannelInboundHandlerAdapter());
            stream.connect(Loops.at(addresses[0], 8080), Loops.at(addresses[1], 0))
                    .syncUninterruptibly();

            var server = Objects.requireNonNull(accepted.poll(5, TimeUnit.SECONDS));
            assertThat(SocketAddresses.of(server.remoteAddress()).ip()).hasToString(addresses[1]);
            SocketMaker.discard(server);
        }
    }

    @Test
    void whenTenThousandSocketsAreMade_thenNoThreadIsInThePodAndNoDescriptorIsLost() throws Exception {
        var before = openFiles();
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) { // which need carriers
            for (int caller = 0; caller < 10; caller++) {
                callers.execute(() -> {
                    for (int i = 0; i < 1000; i++) {
                        SocketMaker.discard(
                                switch (i % 3) {
                                    case 0 -> sockets.stream();
                                    case 1 -> sockets.datagram();
                                    default -> sockets.listener();
                                });
                    }
                });
            }
        }
        assertThat(namespacesOfThreads())
                .containsExactly(
                        Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString());
        sockets.close();
        Awaitility.await().untilAsserted(() -> assertThat(openFiles()).isLessThanOrEqualTo(before));
    }

    @Test
    void givenClosedSockets_whenAnotherIsWanted_thenRefused() {
        sockets.close();
        assertThatExceptionOfType(ChannelException.class).isThrownBy(sockets::stream);
        assertThatExceptionOfType(ChannelException.class).isThrownBy(sockets::listener);
    }

    @Test
    @Tag("slow")
    void givenMissingCapability_thenStartFailsNamingIt() {
        assumeTrue(Files.exists(Path.of("/usr/bin/setpriv")), "needs setpriv");
        assertThat(startWithout("-sys_admin")).contains("setns").contains("CAP_SYS_ADMIN");
        assertThat(startWithout("-net_admin,-net_raw")).contains("SO_MARK").contains("CAP_NET_RAW");
    }

    private static String startWithout(String capabilities) {
        return TestNamespace.execute(List.of(
                "setpriv",
                "--bounding-set=" + capabilities,
                "--inh-caps=" + capabilities,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                StartProbe.class.getName()));
    }

    /// Tells whether sockets in pods can be made.
    static final class StartProbe {
        private StartProbe() {}

        public static void main(String[] arguments) {
            try (var _ = PodSockets.start(SocketConfig.IN_POD)) {
                System.out.println("started");
            } catch (ProblemException e) {
                System.out.println(e.problem());
            }
        }
    }

    private static Set<String> namespacesOfThreads() throws IOException {
        try (var tasks = Files.list(Path.of("/proc/self/task"))) {
            return tasks.flatMap(task -> {
                        try {
                            return Optional.of(Files.readSymbolicLink(task.resolve("ns/net"))
                                            .toString())
                                    .stream();
                        } catch (IOException e) {
                            return Optional.<String>empty().stream(); // the thread has ended
                        }
                    })
                    .collect(Collectors.toSet());
        }
    }

    private static long openFiles() throws IOException {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    private static int mark(Channel channel) {
        return Objects.requireNonNull(channel.config().getOption(SO_MARK));
    }
}
