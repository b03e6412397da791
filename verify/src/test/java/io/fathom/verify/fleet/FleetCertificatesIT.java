// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.fleet.Interest;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Certificates of agents that are good for seconds: a management server and agents, real processes.
@Tag("slow")
class FleetCertificatesIT {
    private static final Duration LIFE = Duration.ofSeconds(16);

    private final FleetProcesses fleet = new FleetProcesses();

    @AfterEach
    void stop() {
        fleet.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(FleetProcesses.PATIENCE).pollInterval(Duration.ofMillis(100));
    }

    private void awaitPhase(String cluster, String phase) {
        await().untilAsserted(
                        () -> assertThat(fleet.agent(cluster).path("phase").asText())
                                .as(fleet.log(cluster))
                                .isEqualTo(phase));
    }

    @Test
    void givenShortLives_thenAnAgentRenewsOnItsStream_andOneThatWasAwayJoinsAgain() {
        fleet.startServer("--certificate-ttl=" + LIFE.toSeconds() + "s");
        fleet.write("west", "10.77.0.1", "");
        fleet.write("east", "10.77.1.1", "");
        var _ = fleet.startAgent("east", "--token=" + fleet.token("east"));
        awaitPhase("east", "connected");
        fleet.kill("east");
        var end = Instant.now().plus(LIFE);
        var _ = fleet.startAgent("west", "--token=" + fleet.token("west"));
        awaitPhase("west", "connected");
        var since = fleet.cluster("west").path("since").asText();
        var handle = fleet.cluster("east").path("handle").asInt();

        await().untilAsserted(() ->
                assertThat(fleet.folder("west.log")).content().containsPattern("(?s)(certificate renewed.*){2}"));
        assertThat(fleet.cluster("west").path("since").asText()).isEqualTo(since);
        assertThat(fleet.serverMetrics()).contains("event=\"certificate-renewed\"}");
        await().until(() -> Instant.now().isAfter(end));

        // too late: what it wrote stays, and it says what to do
        var _ = fleet.startAgent("east");
        await().untilAsserted(
                        () -> assertThat(fleet.agent("east").path("problems").toString())
                                .contains("certificate-expired", "good until", "fathomctl fleet token east"));
        assertThat(fleet.gateways("east")).contains("istio-remote-peer-east");
        fleet.kill("east");
        var _ = fleet.startAgent("east", "--token=" + fleet.token("east"));
        awaitPhase("east", "connected");
        assertThat(fleet.cluster("east").path("handle").asInt()).isEqualTo(handle);
        assertThat(fleet.cluster("west").path("since").asText()).isEqualTo(since);
    }

    @Test
    void whenAClusterLeaves_thenItsStreamIsCut_andItsCertificateIsGoodForNothing() {
        fleet.startServer();
        var loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (var west = new RawAgent("west", fleet.port(), fleet.token("west"), loops.next())) {
            var _ = west.connect("10.77.0.1");
            west.renew();

            var _ = fleet.fathomctl("leave", "west");

            await().until(west::isOver);
            try (var again = west.at(fleet.port())) { // the first one may have been cut in the middle of a message
                again.open(Interest.ALL);
                await().until(() -> again.revoked);
            }
            assertThatThrownBy(west::renew)
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            refused -> assertThat(refused.problem().code()).isEqualTo("not-a-member"));
            await().until(() -> !fleet.cluster("west").path("connected").asBoolean());
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
