// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.tools.query.TextTable;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// Who reaches whom in a fleet, for people: a matrix, or for many clusters a line for each, and then what is wrong.
final class ReachTables {
    private static final int WIDEST_MATRIX = 16;
    private static final List<String> VERDICTS = List.of("reachable", "unknown", "suspect", "down");

    private ReachTables() {}

    static void print(JsonNode answer, PrintWriter out) {
        var clusters = stream(answer.path("clusters")).toList();
        if (clusters.isEmpty()) {
            out.println("no cluster has joined: fathomctl fleet token CLUSTER");
            return;
        }
        if (clusters.size() <= WIDEST_MATRIX) {
            matrix(clusters).print(out);
        } else {
            counts(clusters).print(out);
        }
        clusters.forEach(from -> stream(from.path("peers"))
                .forEach(to -> stream(to.path("gateways"))
                        .filter(gateway -> !gateway.path("code").asText().isEmpty())
                        .forEach(gateway -> trouble(name(from), name(to), gateway, out))));
        var silent = clusters.stream()
                .filter(cluster -> !cluster.path("reports").asBoolean())
                .map(ReachTables::name)
                .toList();
        if (!silent.isEmpty()) {
            out.println();
            out.println("Nothing is known of what these reach: " + String.join(", ", silent));
            out.println(
                    "  fix: a control plane of Fathom tells its agent, which has to be started with --control-plane");
        }
    }

    private static TextTable matrix(List<JsonNode> clusters) {
        var headings = Stream.of(Stream.of("FROM / TO"), clusters.stream().map(ReachTables::name), Stream.of("AGE"))
                .flatMap(part -> part)
                .toArray(String[]::new);
        var table = new TextTable(headings);
        for (var from : clusters) {
            var row = new ArrayList<>(List.of(name(from)));
            clusters.forEach(to -> row.add(cell(from, name(to))));
            row.add(age(from));
            table.row(row.toArray(String[]::new));
        }
        return table;
    }

    private static String cell(JsonNode from, String to) {
        return stream(from.path("peers"))
                .filter(peer -> name(peer).equals(to))
                .findFirst()
                .map(ReachTables::verdict)
                .orElse("-");
    }

    /// Of several addresses one is enough.
    private static String verdict(JsonNode peer) {
        var gateways = stream(peer.path("gateways")).toList();
        var good = gateways.stream()
                .filter(gateway -> gateway.path("verdict").asText().equals("reachable"))
                .count();
        var said = peer.path("verdict").asText();
        var word = said.equals("reachable") ? "ok" : said.toUpperCase(Locale.ROOT);
        return good > 0 && good < gateways.size() ? "%s (%d of %d)".formatted(word, good, gateways.size()) : word;
    }

    private static TextTable counts(List<JsonNode> clusters) {
        var table = new TextTable("FROM", "OK", "UNKNOWN", "SUSPECT", "DOWN", "AGE");
        for (var from : clusters) {
            var cells = new ArrayList<>(List.of(name(from)));
            VERDICTS.forEach(verdict -> cells.add(Long.toString(stream(from.path("peers"))
                    .filter(peer -> peer.path("verdict").asText().equals(verdict))
                    .count())));
            cells.add(age(from));
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }

    private static String age(JsonNode from) {
        if (!from.path("reports").asBoolean()) {
            return "never heard";
        }
        var age = Duration.ofSeconds(from.path("ageSeconds").asLong());
        return age.toMinutes() < 2
                ? age.toSeconds() + "s"
                : age.toHours() < 2 ? age.toMinutes() + "m" : age.toHours() + "h";
    }

    private static void trouble(String from, String to, JsonNode gateway, PrintWriter out) {
        out.println();
        out.printf(
                "%s -> %s at %s, %s since %s [%s]: %s%n",
                from,
                to,
                gateway.path("address").asText(),
                gateway.path("verdict").asText(),
                gateway.path("since").asText(),
                gateway.path("code").asText(),
                gateway.path("reason").asText());
        out.println("  fix: " + fix(from, to, gateway.path("code").asText()));
    }

    /// Addresses come from the cluster that is called.
    private static String fix(String from, String to, String code) {
        return switch (code) {
            case "gateway-is-ourselves", "gateway-is-another-cluster" ->
                "the address that " + to + " tells is that of another cluster: correct its load balancer, or annotation"
                        + " fleet.fathom.io/advertise of its east-west gateway";
            case "gateway-not-proven" ->
                "nothing, if traffic flows; give " + from + " and " + to + " an issuing key each, and it can be proven";
            case "gateway-wrong-identity" ->
                "see what listens at that address in " + to
                        + ", and annotation gateway.istio.io/service-account of its east-west gateway";
            case "gateway-refuses-us", "gateway-handshake-failed" ->
                "compare the roots and trust domains of both: fathomctl multicluster check";
            default ->
                "see whether the east-west gateway of " + to + " runs, and whether " + from
                        + " may reach that address and port";
        };
    }

    private static String name(JsonNode cluster) {
        return cluster.path("name").asText();
    }

    private static Stream<JsonNode> stream(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false);
    }
}
