// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.verify.fleet.simulation.FleetHistory.FleetEvent;
import io.fathom.verify.fleet.simulation.FleetHistory.FleetSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// What a [FleetHistory] cost, as a table, a plot and a line of JSON.
final class FleetReport {
    private final FleetSize size;
    private final List<FleetEvent> events = new ArrayList<>();
    private long heap;

    FleetReport(FleetSize size) {
        this.size = size;
    }

    void add(FleetEvent event) {
        events.add(event);
        System.err.println("bench: " + event);
    }

    void heap(long bytes) {
        heap = bytes;
        System.err.println("bench: heap of the server " + bytes);
    }

    String table() {
        var table = new StringBuilder("%d clusters x %d services, %d of them wanted by each, best 8 clusters for each\n"
                .formatted(size.clusters(), size.services(), size.interest()));
        row(table, "event", "bytes up", "frames", "bytes down", "frames", "in sync", "took");
        for (var event : events) {
            row(
                    table,
                    event.name(),
                    grouped(event.up().bytes()),
                    grouped(event.up().frames()),
                    grouped(event.down().bytes()),
                    grouped(event.down().frames()),
                    event.simulated() + " s",
                    String.format(Locale.ROOT, "%.1f s", event.seconds()));
        }
        table.append("heap of the server, all names different: ")
                .append(grouped(heap))
                .append(" B for ")
                .append(grouped((long) size.clusters() * size.services()))
                .append(" facts\n");
        table.append("peering each with each: ")
                .append(grouped((long) size.clusters() * (size.clusters() - 1)))
                .append(" streams, computed ")
                .append(grouped(81L * size.services() * size.clusters() * (size.clusters() - 1)))
                .append(" B when all join\n");
        return table.toString();
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static void row(StringBuilder table, String name, String... cells) {
        table.append(String.format(Locale.ROOT, "%-54s", name));
        for (var cell : cells) {
            table.append(String.format(Locale.ROOT, " %14s", cell));
        }
        table.append('\n');
    }

    /// Read by `bin/lib/bench-results`.
    String json() {
        return events.stream()
                .map(event -> "\"%s\": {\"up_bytes\": %d, \"down_bytes\": %d, \"down_frames\": %d, \"in_sync_s\": %d}"
                        .formatted(
                                event.name().replaceAll("[^a-z0-9]+", "_"),
                                event.up().bytes(),
                                event.down().bytes(),
                                event.down().frames(),
                                event.simulated()))
                .collect(Collectors.joining(", ", "{\"heap_bytes\": " + heap + (events.isEmpty() ? "" : ", "), "}"));
    }

    /// Bytes of each event on a logarithmic scale, a bar up and one down.
    String plot() {
        var left = 330;
        var width = 460;
        var row = 34;
        var svg = new StringBuilder(("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                        + "font-family=\"sans-serif\" font-size=\"12\">\n")
                .formatted(left + width + 110, events.size() * row + 60));
        svg.append(
                "<text x=\"8\" y=\"20\" font-size=\"14\">%d clusters x %d services: bytes up (blue) and down (red), logarithmic</text>\n"
                        .formatted(size.clusters(), size.services()));
        for (var i = 0; i < events.size(); i++) {
            var event = events.get(i);
            var y = 36 + i * row;
            svg.append("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n"
                    .formatted(left - 8, y + 16, event.name()));
            bar(svg, left, y, width, event.up().bytes(), "#4a7fb0");
            bar(svg, left, y + 13, width, event.down().bytes(), "#c0504d");
        }
        return svg.append("</svg>\n").toString();
    }

    private static void bar(StringBuilder svg, int left, int y, int width, long bytes, String colour) {
        var length = bytes == 0 ? 0 : width * Math.log10((double) bytes) / 10;
        svg.append(String.format(Locale.ROOT, """
                <rect x="%d" y="%d" width="%.0f" height="11" fill="%s"/>
                <text x="%.0f" y="%d" font-size="10">%,d</text>
                """, left, y, length, colour, left + length + 4, y + 9, bytes));
    }
}
