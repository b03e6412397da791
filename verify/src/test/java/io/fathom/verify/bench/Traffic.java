// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.verify.lab.LabPod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// Real clients inside a pod, each for so many seconds.
record Traffic(LabPod client, LabPod server, int seconds) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([\\d.]+)");
    private static final Pattern PERCENTILE = Pattern.compile("\\s(50|99)%\\s+([\\d.]+)(us|ms|s)");
    private static final Map<String, Double> MILLIS = Map.of("us", 1e-3, "ms", 1.0, "s", 1e3);

    /// Requests per second, and how long they took in milliseconds.
    record Requests(double rate, double median, double p99) {}

    /// One stream as fast as it can, in gigabits per second.
    double bulk() throws IOException {
        var report = client.namespace()
                .run(
                        "iperf3",
                        "-J",
                        "-c",
                        server.ip(),
                        "-p",
                        Integer.toString(TrafficServers.BULK_PORT),
                        "-t",
                        Integer.toString(seconds));
        return JSON.readTree(report).at("/end/sum_received/bits_per_second").asDouble() / 1e9;
    }

    /// Small requests on 32 connections.
    Requests requests() {
        return wrk("-c", "32");
    }

    /// Small requests, each on a connection of its own, per second.
    double connections() {
        return wrk("-c", "16", "-H", "Connection: close").rate();
    }

    private Requests wrk(String... flags) {
        var line = new ArrayList<>(List.of("wrk", "-t", "1", "-d", seconds + "s", "--latency"));
        line.addAll(List.of(flags));
        line.add("http://" + server.ip() + ":" + TrafficServers.HTTP_PORT + "/");
        var report = client.namespace().run(line.toArray(String[]::new));
        var rate = RATE.matcher(report);
        if (!rate.find()) {
            throw new IllegalStateException("wrk reported no rate:\n" + report);
        }
        var median = Double.NaN;
        var p99 = Double.NaN;
        for (var match = PERCENTILE.matcher(report); match.find(); ) {
            var millis = Double.parseDouble(match.group(2)) * MILLIS.getOrDefault(match.group(3), 1.0);
            if (match.group(1).equals("50")) {
                median = millis;
            } else {
                p99 = millis;
            }
        }
        return new Requests(Double.parseDouble(rate.group(1)), median, p99);
    }
}
