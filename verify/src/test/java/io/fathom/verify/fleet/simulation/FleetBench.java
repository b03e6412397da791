// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.fleet.server.FleetHub;
import io.fathom.model.fleet.Audience;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.GatewayAddress;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.wire.fleet.FleetCodec;
import io.fathom.wire.fleet.FleetHandler.FleetOutlet;
import io.fathom.wire.fleet.FleetHandler.FleetSession;
import io.fathom.wire.fleet.ServiceFactCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A fleet of full size on one thread: the real server, some real agents, and for the rest of the clusters what their
/// agents say. Prints what each event costs, next to what was computed for it.
///
/// Flags: `--clusters=N --services=N --interest=N --plot=FILE`
public final class FleetBench {
    private static final int FACTS_AT_ONCE = 2000;
    private static final int AGENTS = 5;

    private final int clusters;
    private final int services;
    private final int interest;
    private final SimulatedFleet fleet;
    private final List<Replayed> replayed = new ArrayList<>();
    private final StringBuilder table = new StringBuilder();
    private final List<double[]> points = new ArrayList<>();

    private FleetBench(Path folder, int clusters, int services, int interest) {
        this.clusters = clusters;
        this.services = services;
        this.interest = interest;
        this.fleet = new SimulatedFleet(folder, 1);
    }

    public static void main(String[] arguments) throws IOException {
        var base = Files.isWritable(Path.of("/dev/shm")) ? Path.of("/dev/shm") : Path.of("target");
        var folder = Files.createTempDirectory(
                base, "fleet-bench-" + ProcessHandle.current().pid());
        var clusters = number(arguments, "clusters", 1000);
        var services = number(arguments, "services", 10_000);
        try {
            var bench = new FleetBench(folder, clusters, services, number(arguments, "interest", 200));
            bench.run();
            System.out.print(bench.table);
            for (var argument : arguments) {
                if (argument.startsWith("--plot=")) {
                    Files.writeString(Path.of(argument.substring("--plot=".length())), bench.plot());
                }
            }
        } finally {
            try (var files = Files.walk(folder)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static int number(String[] arguments, String name, int fallback) {
        for (var argument : arguments) {
            if (argument.startsWith("--" + name + "=")) {
                return Integer.parseInt(argument.substring(name.length() + 3));
            }
        }
        return fallback;
    }

    /// A cluster of which nothing runs but what it says; what it is told is counted and thrown away.
    private final class Replayed implements FleetOutlet {
        private final String name;
        private final int number;
        private final Interest wanted;
        private @Nullable FleetSession session;
        private FactVersion version = FactVersion.NONE;
        private boolean awake;

        Replayed(String name, int number, Interest wanted) {
            this.name = name;
            this.number = number;
            this.wanted = wanted;
        }

        void open(FleetHub hub) {
            var member =
                    Optional.ofNullable(hub.registrations().get("uid-" + name)).orElseThrow();
            session = hub.open(member, "bench", this);
            say(new FleetUp.Hello("agent", "bench", "uid-" + name, List.of(), 0, wanted));
            drain();
        }

        void say(FleetUp message) {
            var bytes = FleetCodec.bytes(message);
            fleet.up.add(message.getClass().getSimpleName(), bytes.length);
            if (session != null) {
                session.received(FleetCodec.up(bytes));
            }
        }

        FactVersion next() {
            version = version.next();
            return version;
        }

        void sayGateway(String host) {
            say(new FleetUp.Gateways(
                    List.of(new GatewayFact(
                            "istio-eastwest/istio-eastwest",
                            "net-" + name,
                            "istio-eastwest",
                            "cluster.local",
                            List.of(new GatewayAddress(GatewayAddress.Kind.LB_IP, host, 15008, 15012)),
                            new GatewayFact.Place("region-" + number % 10, ""),
                            GatewayFact.GatewayState.ACTIVE,
                            new Audience.Everybody())),
                    next()));
        }

        void sayServices(List<ServiceFact> facts) {
            for (var from = 0; from < facts.size(); from += FACTS_AT_ONCE) {
                say(new FleetUp.Services(
                        facts.subList(from, Math.min(facts.size(), from + FACTS_AT_ONCE)),
                        List.of(),
                        FleetUp.ServicePart.SNAPSHOT,
                        next()));
            }
            say(new FleetUp.ExportsEnd(next()));
        }

        void drain() {
            if (session == null) {
                return;
            }
            for (var message = session.next(); message.isPresent(); message = session.next()) {
                var size = FleetCodec.bytes(message.get()).length;
                fleet.down.add(message.get().getClass().getSimpleName(), size);
                if (message.get() instanceof FleetDown.Welcome welcome) {
                    version = welcome.last().nextIncarnation();
                }
            }
            awake = false;
        }

        @Override
        public void wake() {
            awake = true;
        }

        @Override
        public void finish() {
            awake = true;
        }

        void end() {
            if (session != null) {
                session.ended();
                session = null;
            }
        }
    }

    private void run() {
        line("%d clusters x %d services, %d of them wanted by each, best 8 clusters for each"
                .formatted(clusters, services, interest));
        row("event", "bytes", "frames", "seconds", "computed");
        var facts = facts();
        var before = heap();
        var started = System.nanoTime();
        for (var i = 0; i < clusters; i++) {
            var cluster = new Replayed("r" + i, i, wanted(i));
            fleet.join(cluster.name, cluster.wanted);
            replayed.add(cluster);
        }
        fleet.clusters.clear(); // these have no agents here
        measure(
                "all clusters join, upload",
                () -> {
                    for (var cluster : replayed) {
                        cluster.open(fleet.hub());
                        cluster.sayGateway(address(cluster.number, 1));
                        cluster.sayServices(facts);
                        if (cluster.number % 100 == 99 || cluster.number == clusters - 1) {
                            settle();
                            points.add(new double[] {cluster.number + 1, fleet.up.bytes(), fleet.down.bytes()});
                        }
                    }
                },
                "%,.0f B up".formatted(81.0 * clusters * services));
        row(
                "heap of the server, bytes",
                Long.toString(heap() - before),
                "",
                seconds(started),
                "1.6 GB for 10^7 facts, limit 4 GiB");
        settle();

        measure(
                "one cluster joins: %d agents, each".formatted(AGENTS),
                () -> {
                    for (var i = 0; i < AGENTS; i++) {
                        var agent = fleet.join("agent" + i, wanted(i));
                        agent.exportAll(fleet.now());
                    }
                    fleet.step();
                },
                "%,d B".formatted(AGENTS * (27_000L * interest / 200 + 164L * clusters)));
        fleet.steps(12);
        settle();
        measure(
                "a gateway has another address",
                () -> {
                    replayed.getFirst().sayGateway(address(0, 2));
                    settle();
                },
                "%,d B, %d frames".formatted(164L * clusters, clusters));
        var first = facts.getFirst();
        measure(
                "one service of one cluster 0 to 1 endpoints",
                () -> {
                    weigh(replayed.getFirst(), first, 0);
                    settle();
                    fleet.up.clear();
                    fleet.down.clear();
                    weigh(replayed.getFirst(), first, 1);
                    settle();
                },
                "14 B up, 9 B for each importer");
        measure(
                "a minute of rollouts, 231 changes a second",
                () -> {
                    for (var second = 0; second < 60; second++) {
                        for (var i = 0; i < 231; i++) {
                            var cluster = replayed.get(fleet.random.nextInt(clusters));
                            weigh(cluster, facts.get(fleet.random.nextInt(services)), 2 + fleet.random.nextInt(6));
                        }
                        tick();
                        settle();
                    }
                },
                "%,d B, at most 60,000 frames".formatted(60 * 90_000L));
        measure(
                "the server is started again, all come back",
                () -> {
                    replayed.forEach(Replayed::end);
                    fleet.crashServer();
                    fleet.startServer();
                    for (var cluster : replayed) {
                        cluster.open(fleet.hub());
                        cluster.sayGateway(address(cluster.number, 1));
                        cluster.sayServices(facts);
                    }
                    settle();
                },
                "%,.0f B up, without a warm cache".formatted(81.0 * clusters * services));
        line("peering each with each instead: %,d streams, each a snapshot of %,d services: %,.0f B at the start"
                .formatted((long) clusters * (clusters - 1), services, 81.0 * services * clusters * (clusters - 1)));
        fleet.close();
    }

    private Interest wanted(int number) {
        Set<String> paths = IntStream.range(0, Math.min(interest, services))
                .mapToObj(i -> path((number * 31 + i * 37) % services))
                .collect(Collectors.toSet());
        return new Interest(new Interest.InterestScope.Listed(paths), Interest.USUAL_ORIGINS);
    }

    private static String path(int service) {
        return "namespace-" + service % 100 + "/service-" + service;
    }

    private List<ServiceFact> facts() {
        var shape = new SimulatedCluster("any", 1, Interest.ALL, new ToldServices((_, _) -> {}, (_, _) -> {}));
        return IntStream.range(0, services)
                .mapToObj(i -> {
                    var parts = path(i).split("/", 2);
                    return ServiceFactCodec.fact(
                            shape.service(parts[0], parts[1], 1 + i % 5, 80),
                            fleet.now().getEpochSecond());
                })
                .toList();
    }

    private void weigh(Replayed cluster, ServiceFact fact, int ready) {
        var shape = new SimulatedCluster("any", 1, Interest.ALL, new ToldServices((_, _) -> {}, (_, _) -> {}));
        var spread = ServiceFactCodec.fact(shape.service(fact.namespace(), fact.name(), ready, 80), 0)
                .spread();
        cluster.say(new FleetUp.Weights(
                List.of(new FleetUp.ServiceWeight(ServiceFact.key(fact.path()), spread)), cluster.next()));
    }

    private void tick() {
        fleet.clock.advance(Duration.ofSeconds(1));
        fleet.hub().tick();
    }

    private void settle() {
        for (var moved = true; moved; ) {
            moved = false;
            for (var cluster : replayed) {
                if (cluster.awake) {
                    cluster.drain();
                    moved = true;
                }
            }
        }
    }

    private static String address(int number, int last) {
        return "10." + (100 + number / 250) + "." + number % 250 + "." + last;
    }

    private void measure(String event, Runnable action, String computed) {
        fleet.up.clear();
        fleet.down.clear();
        var started = System.nanoTime();
        action.run();
        row(
                event + ", up",
                Long.toString(fleet.up.bytes()),
                Long.toString(fleet.up.frames()),
                seconds(started),
                computed);
        row(event + ", down", Long.toString(fleet.down.bytes()), Long.toString(fleet.down.frames()), "", "");
        System.err.println("bench: " + event + ": up " + fleet.up + "; down " + fleet.down);
    }

    private static String seconds(long started) {
        return String.format(Locale.ROOT, "%.1f", (System.nanoTime() - started) / 1e9);
    }

    @SuppressWarnings("System.gc")
    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private void row(String event, String bytes, String frames, String seconds, String computed) {
        line("%-48s %14s %10s %9s  %s"
                .formatted(event, bytes, frames, seconds, computed)
                .stripTrailing());
    }

    private void line(String text) {
        table.append(text).append('\n');
    }

    /// Bytes over the number of clusters that have joined.
    private String plot() {
        var most = points.stream().mapToDouble(point -> point[1]).max().orElse(1);
        var widest = points.stream().mapToDouble(point -> point[0]).max().orElse(1);
        var svg = new StringBuilder("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"320\" "
                + "font-family=\"sans-serif\" font-size=\"12\">\n");
        for (var series = 1; series <= 2; series++) {
            var column = series;
            svg.append("<polyline fill=\"none\" stroke=\"")
                    .append(series == 1 ? "#1f77b4" : "#d62728")
                    .append("\" stroke-width=\"2\" points=\"")
                    .append(points.stream()
                            .map(point -> "%.0f,%.0f"
                                    .formatted(60 + 560 * point[0] / widest, 280 - 250 * point[column] / most))
                            .collect(Collectors.joining(" ")))
                    .append("\"/>\n");
        }
        return svg.append("<path d=\"M60 20V280H620\" fill=\"none\" stroke=\"black\"/>\n")
                .append("<text x=\"300\" y=\"310\">clusters that have joined, up to %.0f</text>\n".formatted(widest))
                .append("<text x=\"70\" y=\"20\">bytes, up to %.1f MB: all uploads (blue), all downloads (red)</text>\n"
                        .formatted(most / 1e6))
                .append("</svg>\n")
                .toString();
    }
}
