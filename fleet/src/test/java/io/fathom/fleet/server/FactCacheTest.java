// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.fleet.Blob;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.ServiceFact;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FactCacheTest {
    private static final Registration WEST = Facts.cluster("west", Optional.empty());
    private static final ServicePolicy POLICY =
            new ServicePolicy(1000, List.of(new ServicePolicy.ClusterRule(Set.of("*"), Set.of("shop"), Set.of("*"))));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final ServiceDirectory directory = directory();
    private FactVersion version = new FactVersion(1, 0);

    private static ServiceDirectory directory() {
        var directory = new ServiceDirectory(POLICY, InstantSource.fixed(Facts.NOW));
        directory.memberChanged(WEST);
        return directory;
    }

    private FactVersion next() {
        version = version.next();
        return version;
    }

    private void say(FactCache cache, FleetUp message) {
        var _ = switch (message) {
            case FleetUp.Services said -> directory.accept(WEST, said);
            case FleetUp.Weights said -> directory.accept(WEST, said);
            case FleetUp.ExportsEnd said -> directory.accept(WEST, said);
            default -> throw new IllegalArgumentException();
        };
        cache.said(WEST.uid(), message, () -> directory.said(WEST.handle()));
    }

    private FleetUp.Services services(List<ServiceFact> facts, List<String> removed, FleetUp.ServicePart part) {
        return new FleetUp.Services(facts, removed, part, next());
    }

    private ServiceDirectory restored() {
        var restored = directory();
        restored.restore(WEST, FactCache.in(folder).read(WEST.uid()));
        return restored;
    }

    private void assertSame(ServiceDirectory restored) {
        assertThat(restored.digest(WEST.handle())).isEqualTo(directory.digest(WEST.handle()));
        assertThat(restored.version(WEST.handle())).isEqualTo(directory.version(WEST.handle()));
        assertThat(restored.exports(WEST.handle())).isEqualTo(directory.exports(WEST.handle()));
        assertThat(restored.isSettled(WEST.handle())).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void givenAnyHistory_whenRestored_thenItIsTheSame_andNotSettled(long seed) {
        var random = new Random(seed);
        var cache = FactCache.in(folder, 2000);
        for (var step = 0; step < 200; step++) {
            var name = "s" + random.nextInt(20);
            var fact = ExportedFacts.fact(random.nextInt(4) == 0 ? "hidden" : "shop", name, random.nextInt(3));
            switch (random.nextInt(6)) {
                case 0 -> say(cache, services(List.of(), List.of(fact.path()), FleetUp.ServicePart.DELTA));
                case 1 ->
                    say(
                            cache,
                            new FleetUp.Weights(
                                    List.of(new FleetUp.ServiceWeight(
                                            ServiceFact.key(fact.path()), spread(random.nextInt(5)))),
                                    next()));
                case 2 -> say(cache, services(List.of(fact), List.of(), FleetUp.ServicePart.SNAPSHOT));
                case 3 -> say(cache, new FleetUp.ExportsEnd(next()));
                default -> say(cache, services(List.of(fact), List.of(), FleetUp.ServicePart.DELTA));
            }
        }
        say(cache, new FleetUp.ExportsEnd(next()));

        assertSame(restored());
    }

    private static Blob spread(int ready) {
        return ExportedFacts.fact("shop", "any", ready).spread();
    }

    @Test
    void givenAFileWithATornEnd_thenWhatIsBeforeCounts_andItGoesOnFromThere() throws IOException {
        var cache = FactCache.in(folder);
        say(cache, services(List.of(ExportedFacts.fact("shop", "cart", 1)), List.of(), FleetUp.ServicePart.DELTA));
        Files.write(folder.resolve(WEST.uid()), new byte[] {0, 0, 1, 0, 7, 7}, StandardOpenOption.APPEND);

        assertSame(restored());
        say(cache, services(List.of(ExportedFacts.fact("shop", "db", 1)), List.of(), FleetUp.ServicePart.DELTA));
        assertSame(restored());
        assertThat(directory.exports(WEST.handle())).isEqualTo(2);
    }

    @Test
    void givenManyServices_thenTheFileDoesNotGrowForEver_andGoesWithTheCluster() throws IOException {
        var cache = FactCache.in(folder, 10_000);
        var all = IntStream.range(0, 100)
                .mapToObj(number -> ExportedFacts.fact("shop", "s" + number, 1))
                .toList();
        for (var round = 0; round < 50; round++) {
            say(cache, services(all, List.of(), FleetUp.ServicePart.DELTA));
        }
        assertThat(Files.size(folder.resolve(WEST.uid()))).isLessThan(40_000);
        assertSame(restored());

        cache.keepOnly(Set.of(WEST.uid()));
        assertThat(folder.resolve(WEST.uid())).exists();
        cache.keepOnly(Set.of());
        assertThat(folder.resolve(WEST.uid())).doesNotExist();
        assertThat(restored().exports(WEST.handle())).isZero();
    }
}
