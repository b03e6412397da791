// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.testkit.ManualTimeline;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.MeshView;
import io.fathom.node.socket.Loops;
import io.fathom.node.socket.OwnSockets;
import io.fathom.node.socket.PodSockets;
import io.fathom.node.socket.SocketConfig;
import io.fathom.node.socket.Sockets;
import io.fathom.wire.dns.AddressReply;
import io.fathom.wire.dns.DnsCursor;
import io.fathom.wire.dns.DnsQuery;
import io.fathom.wire.dns.DnsQuestion;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DnsProxyTest {
    private static final IpPort ANY_PORT = new IpPort(Ip.parse("127.0.0.1").orElseThrow(), 0);
    private static final Workload CLIENT = Mesh.workload("ns1", "client", List.of(), "40.0.0.1");

    private static final MeshView MESH = mesh();

    private final Loops loops = new Loops();
    private final Sockets sockets = new OwnSockets(SocketConfig.PLAIN);
    private final ManualTimeline clock = new ManualTimeline(Instant.EPOCH);
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private CompletableFuture<Optional<Workload>> client = CompletableFuture.completedFuture(Optional.of(CLIENT));

    private final DnsObserver observer = new DnsObserver() {
        @Override
        public void request(Labels labels) {
            seen.add("request " + labels.type() + " " + labels.transport());
        }

        @Override
        public void forwarded(Labels labels, Duration took) {
            seen.add("upstream " + labels.type());
        }

        @Override
        public void forwardFailed(Labels labels, Duration took) {
            seen.add("failure " + labels.type());
        }
    };

    private static MeshView mesh() {
        var mesh = new Mesh()
                .service("ns1", "web.ns1.svc.cluster.local", "nw1/9.9.9.9")
                .service("ns1", "www.google.com", "nw1/1.1.1.1")
                .service("ns1", "many.ns1.svc.cluster.local");
        IntStream.range(0, 256)
                .forEach(i -> mesh.pod("ns1", "m" + i, List.of("ns1/many.ns1.svc.cluster.local"), "20.0.0." + i));
        return mesh.view();
    }

    @AfterEach
    void close() throws Exception {
        for (var it : open.reversed()) {
            it.close();
        }
        loops.close();
    }

    private IpPort proxy(FakeNameServer... servers) {
        var proxy = onAnyPort(setup(sockets, servers));
        open.add(proxy);
        return proxy.addresses().getFirst();
    }

    /// A port that is free for UDP may be taken for TCP: then another one is tried.
    private static DnsProxy onAnyPort(DnsProxy.Setup setup) {
        for (int attempt = 0; attempt < 20; attempt++) {
            try {
                return DnsProxy.start(setup, List.of(ANY_PORT));
            } catch (ProblemException taken) {
                assertThat(taken.problem().message()).contains("Address already in use");
            }
        }
        throw new AssertionError("no port is free for both");
    }

    private DnsProxy.Setup setup(Sockets where, FakeNameServer... servers) {
        var conf = new ResolvConf(
                Arrays.stream(servers).map(FakeNameServer::address).toList(), List.of());
        return new DnsProxy.Setup(
                loops.loop(),
                where,
                () -> MESH,
                this::whoAsks,
                () -> conf,
                DnsConfig.of("cluster.local"),
                observer,
                clock,
                new Random(7));
    }

    private void whoAsks(EventLoop loop, Consumer<Optional<Workload>> then) {
        var now = client;
        if (now.isDone()) {
            then.accept(now.join());
        } else {
            var _ = now.thenAccept(found -> loop.execute(() -> then.accept(found)));
        }
    }

    private FakeNameServer server(Function<byte[], Optional<byte[]>> answers) {
        var server = new FakeNameServer(loops.loop(), sockets, ANY_PORT, answers);
        open.add(server);
        return server;
    }

    @Test
    void givenNameOfMesh_thenAnsweredWithAuthority() throws Exception {
        var reply = udp(proxy(), Messages.query(0x1234, "Web.ns1", DnsQuestion.A));
        assertThat(Arrays.copyOf(reply, 12))
                .describedAs("id, response with authority, recursion, one question, one answer")
                .containsExactly(0x12, 0x34, 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0);
        assertThat(Arrays.copyOfRange(reply, 12, 25))
                .isEqualTo(Arrays.copyOfRange(Messages.query(0, "Web.ns1", DnsQuestion.A), 12, 25));
        assertThat(Messages.ips(reply)).containsExactly("9.9.9.9");
        assertThat(AddressReply.read(reply).lifetime()).isEqualTo(30);
        assertThat(seen).containsExactly("request A UDP");
    }

    @Test
    void givenSearchDomain_thenAliasLeadsToAddresses() throws Exception {
        var reply = udp(proxy(), Messages.query(1, "www.google.com.ns1.svc.cluster.local", DnsQuestion.A));
        assertThat(reply[7]).isEqualTo((byte) 2);
        assertThat(Messages.ips(reply)).containsExactly("1.1.1.1");
        var cursor = new DnsCursor(reply, 12);
        assertThat(cursor.name()).isEqualTo("www.google.com.ns1.svc.cluster.local");
        cursor.skip(4);
        assertThat(cursor.name()).isEqualTo("www.google.com.ns1.svc.cluster.local");
        cursor.skip(10);
        assertThat(cursor.name()).isEqualTo("www.google.com");
        assertThat(cursor.name()).describedAs("owner of the address").isEqualTo("www.google.com");
    }

    @Test
    void givenFamilyThatIsMissing_thenEmptyAnswerWithAuthority() throws Exception {
        var reply = udp(proxy(), Messages.query(1, "web", DnsQuestion.AAAA));
        assertThat(Messages.code(reply)).isZero();
        assertThat(reply[2] & 4).isEqualTo(4);
        assertThat(Messages.ips(reply)).isEmpty();
    }

    @Test
    void case88_givenManyAddresses_thenAllOverTcp_andTruncatedOverUdp() throws Exception {
        var proxy = proxy();
        var query = Messages.query(1, "many", DnsQuestion.A);

        var overTcp = tcp(proxy, query);
        assertThat(Messages.ips(overTcp)).hasSize(256);
        assertThat(overTcp[2] & 2).isZero();

        var overUdp = udp(proxy, query);
        assertThat(overUdp[2] & 2).isEqualTo(2);
        assertThat(overUdp.length).isBetween(400, 512);

        var large = udp(proxy, Messages.ednsQuery(1, "many", DnsQuestion.A, 4200));
        assertThat(Messages.ips(large)).hasSize(256);
        assertThat(large[2] & 2).isZero();
    }

    @Test
    void givenEdns_thenEchoedWithPayloadOfAtLeast512() throws Exception {
        for (var sizes : new int[][] {{100, 512}, {1232, 1232}}) {
            var reply = udp(proxy(), Messages.ednsQuery(1, "web", DnsQuestion.A, sizes[0]));
            assertThat(Arrays.copyOfRange(reply, reply.length - 11, reply.length))
                    .containsExactly(0, 0, 41, sizes[1] >> 8, sizes[1] & 0xff, 0, 0, 0, 0, 0, 0);
            assertThat(reply[11]).isEqualTo((byte) 1);
        }
    }

    @Test
    void givenSeveralAddresses_thenOrderVaries() throws Exception {
        var proxy = proxy();
        var orders = new ArrayList<List<Ip>>();
        for (int i = 0; i < 5; i++) {
            orders.add(AddressReply.read(tcp(proxy, Messages.query(i, "many", DnsQuestion.A)))
                    .ips());
        }
        assertThat(orders.stream().distinct().count()).isGreaterThan(1);
    }

    @Test
    void givenUnknownName_thenForwardedByteForByteButForTheId() throws Exception {
        for (var query : List.of(
                Messages.ednsQuery(0x0101, "MiXed.example.net", 33, 1400),
                Messages.query(0x0202, "ns.example.net", 2),
                update())) {
            var server = server(bytes -> Optional.of(Messages.answer(bytes, 0, 60, List.of())));
            var reply = udp(proxy(server), query);
            assertThat(reply).startsWith(query[0], query[1]);
            assertThat(server.asked).hasSize(1);
            assertThat(Arrays.copyOfRange(server.asked.getFirst(), 2, query.length))
                    .isEqualTo(Arrays.copyOfRange(query, 2, query.length));
        }
        assertThat(seen).contains("upstream SRV", "upstream NS", "upstream Unknown");
    }

    /// A dynamic update: another opcode, and sections of its own.
    private static byte[] update() {
        var bytes = Messages.query(0x0303, "example.net", 6);
        bytes[2] = 5 << 3;
        return bytes;
    }

    @Test
    void givenForwardedQueryOverTcp_thenAskedOverTcp() throws Exception {
        var server = server(bytes -> Optional.of(Messages.answer(bytes, 0, 60, List.of("5.5.5.5"))));
        assertThat(Messages.ips(tcp(proxy(server), Messages.query(9, "x.net", DnsQuestion.A))))
                .containsExactly("5.5.5.5");
    }

    @Test
    void givenServersThatFail_thenNextIsAsked_andErrorsOfTheLastAreKept() throws Exception {
        var silent = new IpPort(Ip.parse("127.0.0.1").orElseThrow(), 1); // refused at once
        var failing = server(bytes -> Optional.of(Messages.answer(bytes, 2, 0, List.of())));
        var good = server(bytes -> Optional.of(Messages.answer(bytes, 0, 60, List.of("5.5.5.5"))));
        var missing = server(bytes -> Optional.of(Messages.answer(bytes, 3, 60, List.of())));

        assertThat(Messages.ips(udp(proxy(failing, good), Messages.query(1, "x.net", DnsQuestion.A))))
                .containsExactly("5.5.5.5");
        assertThat(Messages.code(udp(proxy(failing), Messages.query(1, "x.net", DnsQuestion.A))))
                .isEqualTo(2);
        assertThat(Messages.code(udp(proxy(missing, good), Messages.query(1, "x.net", DnsQuestion.A))))
                .describedAs("an answer like others")
                .isEqualTo(3);
        var none = DnsProxy.start(
                new DnsProxy.Setup(
                        loops.loop(),
                        sockets,
                        () -> MESH,
                        this::whoAsks,
                        () -> new ResolvConf(List.of(silent), List.of()),
                        DnsConfig.of("cluster.local"),
                        observer,
                        clock,
                        new Random(7)),
                List.of(ANY_PORT));
        open.add(none);
        assertThat(Messages.code(udp(none.addresses().getFirst(), Messages.query(1, "x.net", DnsQuestion.A))))
                .isEqualTo(2);
        assertThat(Messages.code(udp(proxy(), Messages.query(1, "x.net", DnsQuestion.A))))
                .describedAs("no servers at all")
                .isEqualTo(2);
    }

    @Test
    @Tag("slow") // waits for a time-out
    void givenServerThatIsSilent_thenNextIsAsked() throws Exception {
        var silent = server(_ -> Optional.empty());
        var good = server(bytes -> Optional.of(Messages.answer(bytes, 0, 60, List.of("5.5.5.5"))));
        assertThat(Messages.ips(udp(proxy(silent, good), Messages.query(1, "x.net", DnsQuestion.A))))
                .containsExactly("5.5.5.5");
        assertThat(silent.asked).hasSize(1);
    }

    @Test
    void givenWrongAnswers_thenOnlyTheRightOneCounts() throws Exception {
        var server = server(bytes -> {
            var other = Messages.query(bytes[0] << 8 | (bytes[1] & 0xff), "y.net", DnsQuestion.A);
            return Optional.of(Messages.answer(other, 0, 60, List.of("6.6.6.6")));
        });
        var good = server(bytes -> Optional.of(Messages.answer(bytes, 0, 60, List.of("5.5.5.5"))));
        assertThat(Messages.ips(udp(proxy(server, good), Messages.query(1, "x.net", DnsQuestion.A))))
                .containsExactly("5.5.5.5");
    }

    @Test
    void givenAnswerWithLifetime_thenRememberedAndAged_andForgottenInTime() throws Exception {
        var server = server(bytes -> Optional.of(Messages.answer(bytes, 0, 60, List.of("5.5.5.5"))));
        var proxy = proxy(server);
        var _ = udp(proxy, Messages.query(1, "x.net", DnsQuestion.A));
        clock.advance(Duration.ofSeconds(20));
        var again = udp(proxy, Messages.query(0x77, "X.net", DnsQuestion.A));

        assertThat(server.asked).hasSize(1);
        assertThat(again).startsWith(0, 0x77);
        assertThat((char) again[13]).describedAs("the client's spelling").isEqualTo('X');
        assertThat(AddressReply.read(again))
                .isEqualTo(new AddressReply(List.of(Ip.parse("5.5.5.5").orElseThrow()), 40));

        clock.advance(Duration.ofSeconds(40));
        var _ = udp(proxy, Messages.query(3, "x.net", DnsQuestion.A));
        assertThat(server.asked).hasSize(2);
    }

    @Test
    void givenUnknownClient_thenFailure() throws Exception {
        client = CompletableFuture.completedFuture(Optional.empty());
        assertThat(Messages.code(udp(proxy(), Messages.query(1, "web", DnsQuestion.A))))
                .isEqualTo(2);
    }

    @Test
    void givenClientThatBecomesKnownLater_thenAnsweredThen() throws Exception {
        client = new CompletableFuture<>();
        var proxy = proxy();
        try (var socket = new DatagramSocket()) {
            send(socket, proxy, Messages.query(1, "web", DnsQuestion.A));
            client.complete(Optional.of(CLIENT));
            assertThat(Messages.ips(receive(socket))).containsExactly("9.9.9.9");
        }
    }

    @Test
    void givenTooManyQueriesOfUnknownClient_thenTheRestFailsAtOnce() throws Exception {
        client = new CompletableFuture<>();
        var proxy = proxy();
        try (var socket = new DatagramSocket()) {
            await().ignoreException(SocketTimeoutException.class).untilAsserted(() -> {
                for (int i = 0; i < 100; i++) { // more at once might not fit into the queue
                    send(socket, proxy, Messages.query(i, "web", DnsQuestion.A));
                }
                assertThat(Messages.code(receive(socket, 50))).isEqualTo(2);
            });
        }
    }

    @Test
    void givenNonsense_thenServerGoesOn() throws Exception {
        var proxy = proxy(server(bytes -> Optional.of(Messages.answer(bytes, 0, 60, List.of()))));
        var random = new Random(3);
        try (var socket = new DatagramSocket()) {
            for (int i = 0; i < 2000; i++) {
                var bytes = Messages.ednsQuery(i, "web.ns1", DnsQuestion.A, 1232);
                for (int n = 0; n < 3; n++) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                }
                send(socket, proxy, Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
            }
        }
        await().atMost(Duration.ofSeconds(20))
                .ignoreException(SocketTimeoutException.class) // the queue may be full at first
                .untilAsserted(() -> assertThat(Messages.ips(udp(proxy, Messages.query(1, "web", DnsQuestion.A))))
                        .containsExactly("9.9.9.9"));
    }

    @Test
    void givenSeveralQueriesOnOneConnection_thenAllAnswered() throws Exception {
        try (var socket = connect(proxy())) {
            for (int i = 0; i < 100; i++) {
                write(socket, Messages.query(i, "web", DnsQuestion.A));
            }
            var ids = new ArrayList<Integer>();
            for (int i = 0; i < 100; i++) {
                ids.add((int) read(socket)[1]);
            }
            assertThat(ids)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 100).boxed().toList());
        }
    }

    @Test
    @Tag("slow")
    void givenIdleConnection_thenClosedAfterFiveSeconds() throws Exception {
        try (var socket = connect(proxy())) {
            write(socket, Messages.query(1, "web", DnsQuestion.A));
            assertThat(read(socket)).isNotEmpty();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void givenPod_thenServedAndForwardedInsideItsNamespace() throws Exception {
        try (var pod = TestNamespace.create();
                var pods = PodSockets.start(SocketConfig.IN_POD);
                var inside = pods.in(NetworkNamespace.open(pod.path()))) {
            try (var server = new FakeNameServer(
                            loops.loop(),
                            inside,
                            new IpPort(Ip.parse("127.0.0.1").orElseThrow(), 53),
                            bytes -> Optional.of(Messages.answer(bytes, 0, 60, List.of("5.5.5.5"))));
                    var proxy = DnsProxy.start(setup(inside, server))) {
                assertThat(proxy.addresses().stream().map(IpPort::toString))
                        .containsExactlyInAnyOrder("127.0.0.1:15053", "[::1]:15053");
                var upstream = new Upstream(loops.loop(), inside, new Random(1));
                for (var address : proxy.addresses()) {
                    for (var transport : Transport.values()) {
                        for (var name : List.of("web", "x.net")) {
                            var reply = upstream.ask(
                                            address,
                                            DnsQuery.read(Messages.query(1, name, DnsQuestion.A))
                                                    .orElseThrow(),
                                            transport,
                                            Duration.ofSeconds(5))
                                    .syncUninterruptibly()
                                    .getNow();
                            assertThat(Messages.ips(reply)).containsExactly(name.equals("web") ? "9.9.9.9" : "5.5.5.5");
                        }
                    }
                }
                assertThat(server.asked).describedAs("remembered per transport").hasSize(2);
            }
        }
    }

    @Test
    void givenSocketsOfTheProxyBefore_thenQueriesThatCameMeanwhileAreAnswered() throws Exception {
        try (var pod = TestNamespace.create();
                var pods = PodSockets.start(SocketConfig.IN_POD)) {
            var before = pods.in(NetworkNamespace.open(pod.path()));
            var after = pods.in(NetworkNamespace.open(pod.path()));
            try (before;
                    after) {
                var killed = DnsProxy.start(setup(before));
                after.take(before.listeners());
                killed.close();
                var client = new Upstream(loops.loop(), after, new Random(1));
                var answers = Stream.of(Transport.values())
                        .map(transport -> client.ask(
                                new IpPort(Ip.parse("127.0.0.1").orElseThrow(), DnsProxy.PORT),
                                DnsQuery.read(Messages.query(1, "web", DnsQuestion.A))
                                        .orElseThrow(),
                                transport,
                                Duration.ofSeconds(20)))
                        .toList();
                assertThat(answers).noneMatch(Future::isDone);
                try (var proxy = DnsProxy.start(setup(after))) {
                    after.closeUnused();
                    assertThat(proxy.addresses()).hasSize(2);
                    for (var answer : answers) {
                        assertThat(Messages.ips(answer.syncUninterruptibly().getNow()))
                                .containsExactly("9.9.9.9");
                    }
                }
                assertThat(pod.run("ss", "-Hltun")).as("nothing is left").isEmpty();
            }
        }
    }

    @Test
    void givenIpv6OffInPod_thenOnlyIpv4IsServed_andPortConflictIsAProblem() throws Exception {
        try (var pod = TestNamespace.create();
                var pods = PodSockets.start(new SocketConfig(
                        OptionalInt.empty(),
                        SocketConfig.PortReuse.NO,
                        SocketConfig.KeepSource.NEVER,
                        SocketConfig.Families.BOTH,
                        Optional.empty()));
                var inside = pods.in(NetworkNamespace.open(pod.path()))) {
            pod.run("sysctl", "-w", "net.ipv6.conf.lo.disable_ipv6=1");
            try (var proxy = DnsProxy.start(setup(inside))) {
                assertThat(proxy.addresses().stream().map(IpPort::toString)).containsExactly("127.0.0.1:15053");
                assertThatExceptionOfType(ProblemException.class)
                        .isThrownBy(() -> DnsProxy.start(setup(inside)))
                        .withMessageContaining("15053");
            }
        }
    }

    private static byte[] udp(IpPort proxy, byte[] query) throws IOException {
        try (var socket = new DatagramSocket()) {
            send(socket, proxy, query);
            return receive(socket);
        }
    }

    private static void send(DatagramSocket socket, IpPort proxy, byte[] query) throws IOException {
        socket.send(new DatagramPacket(query, query.length, address(proxy)));
    }

    private static byte[] receive(DatagramSocket socket) throws IOException {
        return receive(socket, 4_000);
    }

    private static byte[] receive(DatagramSocket socket, int milliseconds) throws IOException {
        socket.setSoTimeout(milliseconds);
        var packet = new DatagramPacket(new byte[65_535], 65_535);
        socket.receive(packet);
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }

    private static byte[] tcp(IpPort proxy, byte[] query) throws IOException {
        try (var socket = connect(proxy)) {
            write(socket, query);
            return read(socket);
        }
    }

    private static Socket connect(IpPort proxy) throws IOException {
        var socket = new Socket();
        socket.setSoTimeout(10_000);
        socket.connect(address(proxy));
        return socket;
    }

    private static void write(Socket socket, byte[] query) throws IOException {
        var out = new DataOutputStream(socket.getOutputStream());
        out.writeShort(query.length);
        out.write(query);
    }

    private static byte[] read(Socket socket) throws IOException {
        var in = new DataInputStream(socket.getInputStream());
        return in.readNBytes(in.readUnsignedShort());
    }

    private static InetSocketAddress address(IpPort proxy) {
        return new InetSocketAddress(InetAddress.ofLiteral(proxy.ip().toString()), proxy.port());
    }
}
