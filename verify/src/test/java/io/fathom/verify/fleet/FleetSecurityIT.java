// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.OriginDigest;
import io.grpc.Status;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A management server with little memory, two clusters that behave, and somebody who does not. What the two tell each
/// other arrives all the while, on the streams that they had before.
@Tag("slow")
class FleetSecurityIT {
    private static final int FLOOD = 60;

    private final FleetProcesses fleet = new FleetProcesses();
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private RawAgent west;
    private RawAgent east;
    private int said;

    @BeforeEach
    void start() {
        fleet.startServer(List.of("-Xmx128m", "-XX:MaxDirectMemorySize=128m"));
        west = agent("west").connect("10.77.0.1");
        east = agent("east").connect("10.77.1.1");
        tell();
    }

    @AfterEach
    void stop() {
        west.close();
        east.close();
        fleet.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private RawAgent agent(String cluster) {
        return new RawAgent(cluster, fleet.port(), fleet.token(cluster), loops.next());
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(FleetProcesses.PATIENCE).pollInterval(Duration.ofMillis(5));
    }

    /// Something of west that east gets to know.
    private void tell() {
        var name = "honest-" + said++;
        west.export(name, 1);
        await().until(() -> east.known.containsKey("shop/" + name));
        assertThat(west.isOver() || east.isOver()).isFalse();
    }

    private Duration timed() {
        var begun = System.nanoTime();
        tell();
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private static Duration longest(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    @Test
    void givenFramesThatAreTooLargeOrNone_thenTheirStreamEnds_andNoOther() {
        var large = new byte[2 << 20];
        var none = new byte[] {(byte) 0xff, (byte) 0xff, 1, 2, 3};

        assertThat(stranger(RawAgent.JOIN, large).isOk()).isFalse();
        assertThat(stranger(RawAgent.JOIN, none).isOk()).isFalse();
        assertThat(stranger(RawAgent.SYNC, none).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
        assertThat(stranger("fathom.fleet.v1.FleetJoin/Nothing", none).getCode())
                .isEqualTo(Status.Code.UNIMPLEMENTED);
        tell();

        assertThat(west.call(RawAgent.SYNC, large).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(west.call(RawAgent.SYNC, none).isOk()).isFalse();
        assertThat(stranger(RawAgent.FOLLOW, none).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
        assertThat(west.call(RawAgent.FOLLOW, none).getDescription()).contains("server-required");
        tell();
        assertThat(fleet.serverMetrics()).contains("reason=\"stranger-oversized\"} 1");
    }

    private Status stranger(String method, byte[] message) {
        return RawAgent.callAsStranger(fleet.port(), method, loops.next(), message);
    }

    @Test
    void givenTenThousandConnectionsWithoutACertificate_thenMembersGoOn_andNothingIsLeftOfThem() {
        var attempts = Integer.getInteger("fathom.fleet.attempts", 10_000);
        var before = fleet.descriptors("server");
        var over = new AtomicBoolean();
        var slowest = Duration.ZERO;
        var told = 0;

        try (var flood = new ConnectionFlood(fleet.port(), attempts)) {
            var run = flood.start(() -> over.set(true));
            while (!over.get()) {
                slowest = longest(slowest, timed());
                told++;
            }
            var took = run.join();
            assertThat(fleet.descriptors("server")).isLessThan(before + 256 + 50);
            System.out.printf(
                    "%d connections without a certificate in %d ms; meanwhile %d changes, the slowest took %d ms%n",
                    attempts, took.toMillis(), told, slowest.toMillis());
            assertThat(slowest).isLessThan(Duration.ofSeconds(20));
            assertThat(fleet.serverMetrics()).contains("reason=\"address-crowded\"", "event=\"address-crowded\"");
        }
        await().until(() -> fleet.descriptors("server") <= before + 10);
        assertThat(fleet.serverMetrics()).contains("fathom_fleet_connections{of=\"strangers\"} 0");
        tell();
    }

    @Test
    void givenAMemberThatFloods_thenOthersHearOfChanges_andTheFlooderIsNamed() {
        try (var hostile = agent("hostile").connect("10.77.2.1")) {
            var name = 0;
            var sent = 0;
            // several times what a cluster may say at once, and more services than it may have
            while (sent < FLOOD) {
                var from = name;
                hostile.send(new FleetUp.Services(
                        IntStream.range(from, from + 2000)
                                .mapToObj(number -> RawAgent.fact("flood-" + number, 1))
                                .toList(),
                        List.of(),
                        FleetUp.ServicePart.DELTA,
                        hostile.next()));
                hostile.send(new FleetUp.Interested(
                        new Interest(new Interest.InterestScope.Namespaces(Set.of("a" + sent)), 8)));
                hostile.send(new FleetUp.Digest(OriginDigest.none(0)));
                hostile.send(new FleetUp.Repair(List.of(1, 2, 3)));
                name += 2000;
                sent++;
            }
            var slowest = Duration.ZERO;
            for (var i = 0; i < 20; i++) {
                slowest = longest(slowest, timed());
            }
            System.out.printf(
                    "beside a cluster that floods the slowest of 20 changes took %d ms%n", slowest.toMillis());
            assertThat(slowest).isLessThan(Duration.ofSeconds(20));
            await().until(() -> hostile.slowDowns.get() > 0);
            assertThat(fleet.serverMetrics())
                    .contains("event=\"cluster-floods\"", "{cluster=\"hostile\"}")
                    .doesNotContain("{cluster=\"west\"}");
            assertThat(fleet.folder("server.log")).content().contains("cluster-floods cluster=hostile");
        }
        tell();
    }
}
