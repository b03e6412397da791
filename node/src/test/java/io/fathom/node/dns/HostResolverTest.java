// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.ManualTimeline;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.node.dns.HostResolver.HostResolution;
import io.fathom.node.socket.Loops;
import io.fathom.node.socket.OwnSockets;
import io.fathom.node.socket.SocketConfig;
import io.fathom.wire.dns.DnsQuery;
import io.fathom.wire.dns.DnsQuestion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HostResolverTest {
    private final Loops loops = new Loops();
    private final OwnSockets sockets = new OwnSockets(SocketConfig.PLAIN);
    private final ManualTimeline clock = new ManualTimeline(Instant.EPOCH);
    private final List<FakeNameServer> servers = new ArrayList<>();

    @AfterEach
    void close() {
        servers.forEach(FakeNameServer::close);
        loops.close();
    }

    private HostResolver resolver(Function<byte[], Optional<byte[]>> answers) {
        var server = new FakeNameServer(
                loops.loop(), sockets, new IpPort(Ip.parse("127.0.0.1").orElseThrow(), 0), answers);
        servers.add(server);
        var conf = new ResolvConf(List.of(server.address()), List.of());
        return new HostResolver(loops.loop(), sockets, () -> conf, clock, new Random(5));
    }

    private static boolean asksForV4(byte[] query) {
        return DnsQuery.read(query).orElseThrow().question().orElseThrow().type() == DnsQuestion.A;
    }

    private static String resolve(HostResolver resolver, String name, Ip.Family family) throws Exception {
        return text(resolver.resolve(name, family));
    }

    private static String text(CompletableFuture<HostResolution> asked) throws Exception {
        return switch (asked.get(10, TimeUnit.SECONDS)) {
            case HostResolution.Found found -> found.ip().toString();
            case HostResolution.Failed failed -> failed.problem().code();
        };
    }

    @Test
    void givenBothFamilies_thenPreferredOneIsChosen_atRandom() throws Exception {
        var resolver = resolver(query -> Optional.of(Messages.answer(
                query, 0, 60, asksForV4(query) ? List.of("5.5.5.5", "6.6.6.6") : List.of("2001:db8::5"))));
        assertThat(resolve(resolver, "x.net", Ip.Family.V6)).isEqualTo("2001:db8::5");
        var chosen = new HashSet<String>();
        for (int i = 0; i < 50; i++) {
            chosen.add(resolve(resolver, "x.net.", Ip.Family.V4));
        }
        assertThat(chosen).containsExactlyInAnyOrder("5.5.5.5", "6.6.6.6");
        assertThat(servers.getFirst().asked).describedAs("both families, once").hasSize(2);
    }

    @Test
    void givenOneFamilyOnly_thenItIsUsedWhateverIsPreferred() throws Exception {
        var resolver = resolver(
                query -> Optional.of(Messages.answer(query, 0, 60, asksForV4(query) ? List.of("5.5.5.5") : List.of())));
        assertThat(resolve(resolver, "x.net", Ip.Family.V6)).isEqualTo("5.5.5.5");
    }

    @Test
    void givenNoAddress_thenProblem_rememberedBriefly() throws Exception {
        var resolver = resolver(query -> Optional.of(Messages.answer(query, 3, 60, List.of())));
        assertThat(resolve(resolver, "x.net", Ip.Family.V4)).isEqualTo("dns-no-address");
        assertThat(resolve(resolver, "x.net", Ip.Family.V4)).isEqualTo("dns-no-address");
        assertThat(servers.getFirst().asked).hasSize(2);
        clock.advance(Duration.ofSeconds(5));
        assertThat(resolve(resolver, "x.net", Ip.Family.V4)).isEqualTo("dns-no-address");
        assertThat(servers.getFirst().asked).hasSize(4);
        assertThat(resolve(resolver, "not..a.name", Ip.Family.V4)).isEqualTo("dns-no-address");
    }

    @Test
    void givenLifetimeOver_thenAskedAgain() throws Exception {
        var resolver = resolver(
                query -> Optional.of(Messages.answer(query, 0, 60, asksForV4(query) ? List.of("5.5.5.5") : List.of())));
        var _ = resolve(resolver, "x.net", Ip.Family.V4);
        clock.advance(Duration.ofSeconds(59));
        var _ = resolve(resolver, "x.net", Ip.Family.V4);
        assertThat(servers.getFirst().asked).hasSize(2);
        clock.advance(Duration.ofSeconds(1));
        var _ = resolve(resolver, "x.net", Ip.Family.V4);
        assertThat(servers.getFirst().asked).hasSizeGreaterThan(2);
    }

    @Test
    void givenConcurrentQuestions_thenOneLookup() throws Exception {
        var resolver = resolver(
                query -> Optional.of(Messages.answer(query, 0, 60, asksForV4(query) ? List.of("5.5.5.5") : List.of())));
        var asked = new ArrayList<CompletableFuture<HostResolution>>();
        for (int i = 0; i < 100; i++) {
            asked.add(resolver.resolve("x.net", Ip.Family.V4));
        }
        for (var one : asked) {
            assertThat(text(one)).isEqualTo("5.5.5.5");
        }
        assertThat(servers.getFirst().asked).hasSize(2);
    }

    @Test
    void givenTruncatedAnswer_thenAskedOverTcp() throws Exception {
        var first = new HashSet<Boolean>();
        var resolver = resolver(query -> {
            var answer = Messages.answer(query, 0, 60, asksForV4(query) ? List.of("5.5.5.5") : List.of());
            if (first.add(asksForV4(query))) {
                answer[2] |= 2;
                answer[7] = 0;
            }
            return Optional.of(answer);
        });
        assertThat(resolve(resolver, "x.net", Ip.Family.V4)).isEqualTo("5.5.5.5");
    }

    @Test
    void givenMoreNamesThanItHolds_thenOldestGo() throws Exception {
        var resolver = resolver(query -> Optional.of(Messages.answer(query, 0, 60, List.of())));
        for (int batch = 0; batch < 105; batch++) {
            var asked = new ArrayList<CompletableFuture<HostResolution>>();
            for (int i = 0; i < 40; i++) {
                asked.add(resolver.resolve("n" + batch + "-" + i + ".net", Ip.Family.V4));
            }
            for (var one : asked) {
                assertThat(text(one)).isEqualTo("dns-no-address");
            }
        }
        assertThat(resolver.held()).isEqualTo(HostResolver.MOST_NAMES);
    }
}
