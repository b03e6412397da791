// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.Interest;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/// One management server, a process of its own, and as many real streams as there are clusters: how long until the last
/// of them knows what one has changed, and how much memory that takes.
///
/// Flags: `--clusters=N --services=N --changes=N`
public final class StreamBench {
    private static final int JOINS_AT_ONCE = 16;
    private static final int FACTS_AT_ONCE = 2000;

    private StreamBench() {}

    public static void main(String[] arguments) throws Exception {
        var clusters = number(arguments, "clusters", 1000);
        var services = number(arguments, "services", 1000);
        var changes = number(arguments, "changes", 100);
        var loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        try (var fleet = new FleetProcesses()) {
            fleet.startServer(List.of("-XX:TieredStopAtLevel=4", "-Xmx3g"));
            var agents = join(fleet, loops, clusters, interest(changes));
            System.out.printf(
                    "%d streams, server %d MiB%n", fleet.metric("fathom_fleet_streams"), memory(fleet, "VmRSS"));
            for (var i = 0; i < clusters; i++) {
                export(agents.get(i), i, services);
            }
            await().until(() -> fleet.metric("fathom_fleet_exports") == (long) clusters * services);
            System.out.printf(
                    "%d services of %d clusters, server %d MiB%n",
                    (long) clusters * services, clusters, memory(fleet, "VmRSS"));

            var times = new long[changes];
            for (var change = 0; change < changes; change++) {
                var path = "shop/change-" + change;
                var begun = System.nanoTime();
                agents.get(change % clusters).export("change-" + change, 1);
                var speaker = agents.get(change % clusters);
                await().until(() ->
                        agents.stream().allMatch(agent -> agent.equals(speaker) || agent.known.containsKey(path)));
                times[change] = System.nanoTime() - begun;
            }
            Arrays.sort(times);
            System.out.printf(
                    "one change to the last of %d clusters: p50 %d ms, p99 %d ms, most %d ms; server at most %d MiB%n",
                    clusters - 1,
                    times[changes / 2] / 1_000_000,
                    times[changes * 99 / 100] / 1_000_000,
                    times[changes - 1] / 1_000_000,
                    memory(fleet, "VmHWM"));
            agents.forEach(RawAgent::close);
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static int number(String[] arguments, String name, int usual) {
        return Arrays.stream(arguments)
                .filter(argument -> argument.startsWith("--" + name + "="))
                .map(argument -> Integer.parseInt(argument.substring(name.length() + 3)))
                .findFirst()
                .orElse(usual);
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(10)).pollInterval(Duration.ofMillis(2));
    }

    private static Interest interest(int changes) {
        var paths = IntStream.range(0, changes)
                .mapToObj(change -> "shop/change-" + change)
                .collect(Collectors.toSet());
        return new Interest(new Interest.InterestScope.Listed(Set.copyOf(paths)), Interest.USUAL_ORIGINS);
    }

    private static List<RawAgent> join(
            FleetProcesses fleet, MultiThreadIoEventLoopGroup loops, int clusters, Interest interest) throws Exception {
        try (var threads = Executors.newFixedThreadPool(JOINS_AT_ONCE)) {
            var joining = new ArrayList<Callable<RawAgent>>();
            for (var i = 0; i < clusters; i++) {
                var name = "cluster-" + i;
                var address = "10." + i / 250 + "." + i % 250 + ".1";
                joining.add(() ->
                        new RawAgent(name, fleet.port(), fleet.token(name), loops.next()).connect(address, interest));
            }
            var agents = new ArrayList<RawAgent>();
            for (var agent : threads.invokeAll(joining)) {
                agents.add(agent.get());
            }
            return agents;
        }
    }

    private static void export(RawAgent agent, int cluster, int services) {
        for (var from = 0; from < services; from += FACTS_AT_ONCE) {
            agent.send(new FleetUp.Services(
                    IntStream.range(from, Math.min(services, from + FACTS_AT_ONCE))
                            .mapToObj(number -> RawAgent.fact("c" + cluster + "-s" + number, 1))
                            .toList(),
                    List.of(),
                    FleetUp.ServicePart.DELTA,
                    agent.next()));
        }
    }

    private static long memory(FleetProcesses fleet, String line) throws IOException {
        try (var lines = Files.lines(
                Path.of("/proc", Long.toString(fleet.process("server").pid()), "status"))) {
            return lines.filter(one -> one.startsWith(line + ":"))
                    .map(one -> Long.parseLong(one.replaceAll("\\D", "")) / 1024)
                    .findFirst()
                    .orElse(0L);
        }
    }
}
