// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.OriginCopy;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.wire.fleet.FleetHandler.FleetOutlet;
import io.fathom.wire.fleet.FleetHandler.FleetStream;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Servers that tell each other what they hear, without sockets.
class ReplicaFeedTest {
    private static final Registration WEST = Facts.cluster("west", Optional.empty());
    private static final int HANDLE = WEST.handle();

    private FactVersion version = new FactVersion(1, 0);

    /// A server, as far as this is about it.
    private static final class Server implements CopyReceiver.CopyTarget {
        final ServiceDirectory directory = new ServiceDirectory(ServicePolicy.OPEN, InstantSource.fixed(Facts.NOW));
        final ReplicaFeed feed;
        boolean knowsWest = true;

        Server(String id) {
            feed = new ReplicaFeed(id, directory);
            directory.memberChanged(WEST);
        }

        /// An agent says that here.
        void hear(FleetUp said) {
            var before = directory.version(HANDLE);
            take(said);
            if (directory.version(HANDLE).equals(CopyReceiver.version(said))) {
                feed.said(HANDLE, said, before);
            }
        }

        private void take(FleetUp message) {
            var _ = switch (message) {
                case FleetUp.Services said -> directory.accept(WEST, said);
                case FleetUp.Weights said -> directory.accept(WEST, said);
                case FleetUp.ExportsEnd said -> directory.accept(WEST, said);
                default -> throw new IllegalArgumentException();
            };
        }

        @Override
        public Optional<Registration> member(int origin) {
            return knowsWest ? Optional.of(WEST) : Optional.empty();
        }

        @Override
        public FactVersion version(int origin) {
            return directory.version(origin);
        }

        @Override
        public void change(Registration origin, FleetUp said) {
            take(said);
        }

        @Override
        public void whole(Registration origin, FleetUp.Services all, OriginCopy.CopyPart end) {
            directory.replace(origin, all, end);
        }
    }

    /// One follows another; messages move when the test lets them.
    private static final class Link {
        private final FleetStream<OriginCopy> stream;
        private final CopyReceiver receiver;

        Link(Server from, Server to, String id) {
            stream = from.feed.open(new FleetOutlet() {
                @Override
                public void wake() {}

                @Override
                public void finish() {}
            });
            receiver = new CopyReceiver(to, stream::received);
            stream.received(CopyReceiver.hello(id, to.directory));
        }

        void move(int most) {
            for (var i = 0; i < most; i++) {
                var next = stream.next();
                if (next.isEmpty()) {
                    return;
                }
                receiver.take(next.get());
            }
        }

        void cut() {
            stream.ended();
        }
    }

    private FactVersion next() {
        version = version.next();
        return version;
    }

    private FleetUp.Services services(List<ServiceFact> facts, List<String> removed, FleetUp.ServicePart part) {
        return new FleetUp.Services(facts, removed, part, next());
    }

    private FleetUp random(Random random) {
        var fact = ExportedFacts.fact("shop", "s" + random.nextInt(20), random.nextInt(3));
        return switch (random.nextInt(5)) {
            case 0 -> services(List.of(), List.of(fact.path()), FleetUp.ServicePart.DELTA);
            case 1 ->
                new FleetUp.Weights(
                        List.of(new FleetUp.ServiceWeight(ServiceFact.key(fact.path()), fact.spread())), next());
            case 2 -> services(List.of(fact), List.of(), FleetUp.ServicePart.SNAPSHOT);
            case 3 -> new FleetUp.ExportsEnd(next());
            default -> services(List.of(fact), List.of(), FleetUp.ServicePart.DELTA);
        };
    }

    private static void assertSame(Server one, Server other) {
        assertThat(other.directory.digest(HANDLE)).isEqualTo(one.directory.digest(HANDLE));
        assertThat(other.directory.version(HANDLE)).isEqualTo(one.directory.version(HANDLE));
        assertThat(other.directory.isSettled(HANDLE)).isEqualTo(one.directory.isSettled(HANDLE));
    }

    /// Case 42, too: streams are cut anywhere, and the agent goes from one server to the other.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void givenAnyHistory_whenStreamsAreCut_thenBothKnowTheSame(long seed) {
        var random = new Random(seed);
        var first = new Server("first");
        var second = new Server("second");
        var there = new Link(first, second, "second");
        var back = new Link(second, first, "first");
        var host = first;
        for (var step = 0; step < 400; step++) {
            switch (random.nextInt(20)) {
                case 0 -> {
                    there.cut();
                    there = new Link(first, second, "second");
                }
                case 1 -> {
                    // what the other one has not heard is lost with this one: the agent says it again
                    if (random.nextBoolean()) {
                        there.move(1000);
                        back.move(1000);
                    }
                    host = host.equals(first) ? second : first;
                    version = version.nextIncarnation();
                }
                default -> host.hear(random(random));
            }
            there.move(random.nextInt(3));
            back.move(random.nextInt(3));
        }
        host.hear(new FleetUp.ExportsEnd(next()));
        there.move(Integer.MAX_VALUE);
        back.move(Integer.MAX_VALUE);

        assertSame(first, second);
        assertThat(first.directory.isSettled(HANDLE)).isTrue();
    }

    @Test
    void givenAServerThatStarts_thenItIsToldEverything_andOneThatKnowsItNothing() {
        var first = new Server("first");
        var second = new Server("second");
        first.hear(services(
                IntStream.range(0, 5000)
                        .mapToObj(number -> ExportedFacts.fact("shop", "s" + number, 1))
                        .toList(),
                List.of(),
                FleetUp.ServicePart.SNAPSHOT));
        var early = new Link(first, second, "second");
        early.move(1000);
        assertThat(second.directory.exports(HANDLE)).as("in the middle of it").isZero();

        first.hear(new FleetUp.ExportsEnd(next()));
        early.move(2);
        assertThat(second.directory.exports(HANDLE)).as("only parts have come").isZero();
        early.cut();
        var link = new Link(first, second, "second");
        link.move(1000);
        assertSame(first, second);

        var again = new Link(first, second, "second");
        assertThat(again.stream.next()).isEmpty();
    }

    @Test
    void givenASlowServer_thenWhatDoesNotFitIsToldAsAWhole() {
        var first = new Server("first");
        var second = new Server("second");
        var link = new Link(first, second, "second");
        for (var i = 0; i < 3000; i++) {
            first.hear(services(
                    List.of(ExportedFacts.fact("shop", "s" + i % 100, i % 5)), List.of(), FleetUp.ServicePart.DELTA));
        }
        var moved = 0;
        for (var next = link.stream.next(); next.isPresent(); next = link.stream.next()) {
            link.receiver.take(next.get());
            moved++;
        }
        assertThat(moved).isLessThan(10);
        assertSame(first, second);
    }

    @Test
    void givenAMemberThatIsNotKnownYet_thenItIsAskedForLater() {
        var first = new Server("first");
        var second = new Server("second");
        second.knowsWest = false;
        var link = new Link(first, second, "second");
        first.hear(services(List.of(ExportedFacts.fact("shop", "s", 1)), List.of(), FleetUp.ServicePart.DELTA));
        link.move(10);
        link.receiver.tick();
        assertThat(second.directory.exports(HANDLE)).isZero();

        second.knowsWest = true;
        link.receiver.tick();
        link.move(10);
        assertSame(first, second);
    }

    @Test
    void whenAServerFollowsItself_thenItIsRefused() {
        var first = new Server("first");
        assertThatThrownBy(() -> new Link(first, first, "first")).hasMessageContaining("itself");
    }
}
