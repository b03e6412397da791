// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.damage;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.damage.DamagedMesh.Tokens;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random policies, random damage, random flows: what a mesh with a damaged policy lets through, the same mesh with the
/// intact one lets through, too. On node proxies and on Envoys, for all three kinds.
///
/// `-Dfathom.cases=10000000` for a night; `-Dfathom.seed=N` for other ones.
@Tag("slow")
@Timeout(value = 1, unit = TimeUnit.DAYS)
@SuppressWarnings({"NullAway", "ReferenceEquality", "UnnecessaryLambda"}) // trees of plain maps, with one mark for null
final class DamagePropertyTest {
    private static final int CASES = Integer.getInteger("fathom.cases", 100_000);
    private static final long SEED = Long.getLong("fathom.seed", 1);
    private static final int DAMAGES = 24;

    @Test
    void givenRandomDamage_thenNothingIsAllowedThatTheIntactPoliciesDeny() throws Exception {
        var workers = Runtime.getRuntime().availableProcessors();
        var failures = ConcurrentHashMap.<Throwable>newKeySet();
        var threads = IntStream.range(0, workers)
                .mapToObj(worker -> Thread.ofPlatform().start(() -> {
                    try {
                        new Worker(SEED * 1_000_003 + worker).run(CASES / workers + 1);
                    } catch (Throwable e) {
                        failures.add(e);
                    }
                }))
                .toList();
        for (var thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }

    /// One mesh that lives through many cases.
    private static final class Worker {
        private final long seed;
        private final DamagedMesh mesh = new DamagedMesh();
        private final ManifestReader reader =
                new ManifestReader(ReaderConfig.of("Kubernetes", "default", RandomPolicies.ROOT));

        private Worker(long seed) {
            this.seed = seed;
        }

        private void run(int cases) {
            int done = 0;
            for (long round = 0; done < cases; round++) {
                done += round(new Dice(seed + round * 7_919), "seed " + (seed + round * 7_919));
            }
        }

        private int round(Dice dice, String name) {
            var objects = new RandomPolicies(dice).mesh();
            var intact = new ArrayList<Manifest>();
            for (var object : objects) {
                var read = read(object);
                if (!Validity.isValid(object) || !read.problems().isEmpty()) {
                    throw new AssertionError(name + ": not intact: " + text(object) + " " + read.problems());
                }
                intact.add(read.manifest());
            }
            mesh.become(intact);
            var connections = mesh.connections();
            var requests = mesh.requests(Tokens.MAY_BE_LEFT_OUT);
            var index = dice.below(objects.size());
            var other = dice.below(objects.size());
            if (dice.chance(20) && other != index) {
                damaged(dice, objects.get(other), name).ifPresent(damaged -> mesh.replace(damaged.manifest()));
            }
            int done = 0;
            for (int i = 0; i < DAMAGES; i++) {
                var damaged = damaged(dice, objects.get(index), name);
                if (damaged.isPresent()) {
                    done++;
                    mesh.replace(damaged.get().manifest());
                    check(connections, mesh.connections(), DamagedMesh::connection, name, objects, damaged.get());
                    check(
                            requests,
                            mesh.requests(Tokens.ARE_SHOWN),
                            DamagedMesh::request,
                            name,
                            objects,
                            damaged.get());
                }
            }
            return done;
        }

        private static void check(
                BitSet intact,
                BitSet damaged,
                IntFunction<String> words,
                String name,
                List<Map<String, Object>> objects,
                Reading.Good spoiled) {
            damaged.andNot(intact);
            if (!damaged.isEmpty()) {
                throw new AssertionError(name + ": opened " + words.apply(damaged.nextSetBit(0)) + "\n  intact "
                        + objects.stream().map(Worker::text).collect(Collectors.joining("\n    "))
                        + "\n  damaged " + Json.compact(spoiled.object()));
            }
        }

        /// Empty when what came out is another object without mistakes.
        private Optional<Reading.Good> damaged(Dice dice, Map<String, Object> object, String name) {
            var first = new RandomDamage(dice).hit(object);
            var damaged = damaged(object, first, name);
            if (damaged.isEmpty() || !dice.chance(20)) {
                return damaged;
            }
            var second = new RandomDamage(dice).hit(object);
            return isApart(first, second) && damaged(object, second, name).isPresent()
                    ? Optional.of(read(RandomDamage.apply(object, List.of(first, second))))
                    : damaged;
        }

        private static boolean isApart(RandomDamage.Hit one, RandomDamage.Hit other) {
            return one.place().isApartFrom(other.place())
                    && List.of(one, other).stream()
                            .noneMatch(hit ->
                                    hit.how().equals("truncate") || hit.how().equals("move"));
        }

        private Optional<Reading.Good> damaged(Map<String, Object> object, RandomDamage.Hit hit, String name) {
            var damaged = RandomDamage.apply(object, List.of(hit));
            var reading = read(damaged);
            var told = reading.manifest().damage().isPresent();
            if (!told && !Validity.isValid(damaged)) {
                throw new AssertionError(name + ": nobody is told of " + hit + " in " + text(damaged));
            }
            return told ? Optional.of(reading) : Optional.empty();
        }

        private Reading.Good read(Map<String, Object> object) {
            return (Reading.Good) reader.read(tree(object), _ -> Instant.EPOCH).getFirst();
        }

        private static Tree tree(Object value) {
            return switch (value) {
                case Map<?, ?> map -> {
                    var trees = new LinkedHashMap<String, Object>();
                    map.forEach((key, entry) -> trees.put((String) key, tree(entry)));
                    yield Json.of(trees);
                }
                case List<?> list -> Json.of(list.stream().map(Worker::tree).toList());
                default -> value == RandomDamage.NOTHING ? Json.NOTHING : Json.of(value);
            };
        }

        private static String text(Map<String, Object> object) {
            return Json.compact(tree(object));
        }
    }
}
