// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Any order and batching of events ends in the state of a build from scratch, for a graph that uses every kind of
/// table; and what subscribers are told adds up to that state at every step.
final class FlowPropertyTest {
    record FlowPod(String key, String namespace, Map<String, String> labels, int weight) {}

    record FlowRule(String key, Optional<String> namespace, Map<String, String> labels, String effect) {}

    private static final class Graph {
        final Flow flow = new Flow(Failures.rethrown());
        final Source<String, FlowPod> pods = flow.source("pods");
        final Source<String, FlowRule> rules = flow.source("rules");
        final Source<String, String> namespaces = flow.source("namespaces");
        final Table<String, List<FlowRule>> matches = flow.select(
                "matches",
                pods,
                p -> new Labels<>(p.namespace(), p.labels()),
                rules,
                r -> Optional.of(new Selector<>(r.namespace(), r.labels())));
        final Table<String, String> views = flow.derive("views", pods, (fetch, pod) -> {
            var namespace = fetch.one(namespaces, pod.namespace());
            if (namespace.isEmpty() && pod.weight() % 2 == 0) {
                return Optional.empty();
            }
            var effects = fetch.own(matches).orElse(List.of()).stream()
                    .map(FlowRule::effect)
                    .toList();
            return Optional.of(namespace.orElse("?") + effects + pod.weight());
        });
        final Index<String, String, FlowPod> byNamespace =
                flow.index("byNamespace", pods, p -> Set.of(p.namespace(), "weight-" + p.weight() % 3));
        final Table<String, String> sums = flow.reduce("sums", byNamespace, (fetch, group, members) -> {
            var sum = members.stream().mapToInt(FlowPod::weight).sum();
            return Optional.of(sum + fetch.one(namespaces, group).orElse("-"));
        });
        final Table<String, String> labels = flow.deriveMany("labels", pods, (fetch, pod) -> {
            var rows = new HashMap<String, String>();
            pod.labels()
                    .forEach((k, v) -> rows.put(
                            k + "=" + v,
                            pod.key() + fetch.all(byNamespace, pod.namespace()).size()));
            return rows;
        });
        final Table<String, String> joined = flow.join("joined", List.of(sums, labels, views));

        final Table<String, String> renamed = flow.rekey("renamed", views, (key, view) -> view + key);

        final List<Table<String, String>> watched = List.of(views, sums, labels, joined, renamed);
        final Map<String, Map<String, String>> told = new HashMap<>();

        Graph() {
            var _ = flow.subscribe(commit -> {
                for (var table : watched) {
                    var mirror = told.computeIfAbsent(table.name(), _ -> new TreeMap<>());
                    for (var change : commit.changes(table)) {
                        assertThat(Optional.ofNullable(mirror.get(change.key())))
                                .isEqualTo(change.previous());
                        change.current()
                                .ifPresentOrElse(v -> mirror.put(change.key(), v), () -> mirror.remove(change.key()));
                    }
                }
            });
        }

        Map<String, Map<String, String>> state() {
            var state = new HashMap<String, Map<String, String>>();
            for (var table : watched) {
                var rows = new TreeMap<String, String>();
                flow.cut().of(table).forEach(rows::put);
                state.put(table.name(), rows);
            }
            return state;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
    void givenAnyHistory_thenTheStateIsThatOfABuildFromScratch(long seed) {
        var random = new Random(seed);
        var graph = new Graph();
        var pods = new TreeMap<String, FlowPod>();
        var rules = new TreeMap<String, FlowRule>();
        var namespaces = new TreeMap<String, String>();
        for (int step = 0; step < 300; step++) {
            graph.flow.update(update -> {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    change(random, graph, update, pods, rules, namespaces);
                }
            });
            if (step % 20 == 0) {
                var scratch = new Graph();
                replay(random, scratch, pods, rules, namespaces);
                assertThat(graph.state()).isEqualTo(scratch.state());
                assertThat(graph.told).isEqualTo(graph.state());
            }
        }
    }

    private static void change(
            Random random,
            Graph graph,
            Update update,
            Map<String, FlowPod> pods,
            Map<String, FlowRule> rules,
            Map<String, String> namespaces) {
        var remove = random.nextInt(4) == 0;
        switch (random.nextInt(3)) {
            case 0 -> {
                var key = "pod-" + random.nextInt(30);
                var pod = new FlowPod(key, "ns-" + random.nextInt(4), labels(random), random.nextInt(10));
                put(update, graph.pods, pods, key, pod, remove);
            }
            case 1 -> {
                var key = "rule-" + random.nextInt(15);
                var scope = Optional.of("ns-" + random.nextInt(4)).filter(_ -> random.nextInt(4) > 0);
                put(
                        update,
                        graph.rules,
                        rules,
                        key,
                        new FlowRule(key, scope, labels(random), "e" + random.nextInt(5)),
                        remove);
            }
            default -> {
                var key = "ns-" + random.nextInt(4);
                put(update, graph.namespaces, namespaces, key, "n" + random.nextInt(3), remove);
            }
        }
    }

    private static <V> void put(
            Update update, Source<String, V> source, Map<String, V> mirror, String key, V value, boolean remove) {
        if (remove) {
            mirror.remove(key);
            update.remove(source, key);
        } else {
            mirror.put(key, value);
            update.put(source, key, value);
        }
    }

    private static Map<String, String> labels(Random random) {
        var labels = new HashMap<String, String>();
        for (int i = random.nextInt(3); i > 0; i--) {
            labels.put("l" + random.nextInt(3), "v" + random.nextInt(2));
        }
        return labels;
    }

    private static void replay(
            Random random,
            Graph graph,
            Map<String, FlowPod> pods,
            Map<String, FlowRule> rules,
            Map<String, String> namespaces) {
        var steps = new ArrayList<Runnable>();
        pods.forEach((k, v) -> steps.add(() -> graph.flow.update(u -> u.put(graph.pods, k, v))));
        rules.forEach((k, v) -> steps.add(() -> graph.flow.update(u -> u.put(graph.rules, k, v))));
        namespaces.forEach((k, v) -> steps.add(() -> graph.flow.update(u -> u.put(graph.namespaces, k, v))));
        Collections.shuffle(steps, random);
        steps.forEach(Runnable::run);
    }
}
