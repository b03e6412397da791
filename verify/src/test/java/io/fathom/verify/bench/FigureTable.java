// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The figures of several kinds over several rounds, as medians and as ratios to stock proxies.
final class FigureTable {
    private static final List<String> COLUMNS = List.of(
            "bulk_gbps", "cpu_s_per_gb", "requests_per_s", "p50_ms", "p99_ms", "connections_per_s", "memory_mib");

    private final Map<String, List<double[]>> rounds = new LinkedHashMap<>();

    FigureTable(List<String> kinds) {
        kinds.forEach(kind -> rounds.put(kind, new ArrayList<>()));
    }

    void add(String kind, double[] figures) {
        rounds.getOrDefault(kind, List.of()).add(figures);
    }

    String text() {
        var text = new StringBuilder("%-10s".formatted(""));
        COLUMNS.forEach(column -> text.append("%18s".formatted(column)));
        rounds.keySet().forEach(kind -> {
            text.append("\n%-10s".formatted(kind));
            for (var median : medians(kind)) {
                text.append("%18.2f".formatted(median));
            }
        });
        return text.append('\n').toString();
    }

    /// One line; with the ratios of ours to each peer that took part.
    ///
    /// @param peers their names, by what the ratios are called
    String json(Map<String, String> peers) {
        var kinds = rounds.keySet().stream().map(kind -> "\"%s\":%s".formatted(kind, object(medians(kind))));
        var ratios = new TreeMap<>(peers)
                .entrySet().stream()
                        .filter(peer -> rounds.containsKey(peer.getValue()))
                        .map(peer -> "\"%s\":%s".formatted(peer.getKey(), object(ratios("fathom", peer.getValue()))));
        return Stream.concat(kinds, ratios).collect(Collectors.joining(",", "{", "}"));
    }

    private double[] ratios(String ours, String peer) {
        var mine = medians(ours);
        var theirs = medians(peer);
        return IntStream.range(0, mine.length)
                .mapToDouble(column -> mine[column] / theirs[column])
                .toArray();
    }

    private static String object(double[] figures) {
        return IntStream.range(0, figures.length)
                .filter(column -> Double.isFinite(figures[column]))
                .mapToObj(column -> "\"%s\":%s".formatted(COLUMNS.get(column), number(figures[column])))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String number(double figure) {
        return String.format(Locale.ROOT, "%.3f", figure);
    }

    private double[] medians(String kind) {
        var all = rounds.getOrDefault(kind, List.of());
        return IntStream.range(0, COLUMNS.size())
                .mapToDouble(column -> {
                    var sorted = all.stream()
                            .mapToDouble(row -> row[column])
                            .sorted()
                            .toArray();
                    return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
                })
                .toArray();
    }
}
