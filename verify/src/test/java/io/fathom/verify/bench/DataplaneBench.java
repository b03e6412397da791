// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import io.fathom.verify.lab.EnvoyProxy;
import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Traffic between two pods on two nodes: directly, through our node proxies, through stock ones and through
/// Envoy doing HBONE. Each kind has
/// pods, nodes and proxies of its own; they take turns, so that all of them meet the same moods of the machine.
///
/// Prints medians over the rounds, ratios, and one line of JSON last.
public final class DataplaneBench {
    private record Plan(int rounds, int seconds) {
        static Plan of(String[] args) {
            var plan = new Plan(3, 4);
            for (var arg : args) {
                var value = Integer.parseInt(arg.substring(arg.indexOf('=') + 1));
                plan = switch (arg.substring(0, arg.indexOf('='))) {
                    case "--rounds" -> new Plan(value, plan.seconds);
                    case "--seconds" -> new Plan(plan.rounds, value);
                    default -> throw new IllegalArgumentException(arg + ": use --rounds=, --seconds=");
                };
            }
            return plan;
        }
    }

    /// @param proxies the processes that carry its traffic
    private record Kind(String name, LabPod client, LabPod server, List<Long> proxies) {}

    /// `bin/bench` has built what is measured.
    private static final Map<String, String> AS_BUILT = Map.of("FATHOM_BUILD", "skip");

    private DataplaneBench() {}

    public static void main(String[] args) throws IOException {
        var plan = Plan.of(args);
        try (var lab = new MeshLab()) {
            var programs = new ArrayList<ProxyProgram>();
            programs.add(ProxyProgram.ours(Path.of("bin/ztunnel").toAbsolutePath()));
            ProxyProgram.stock().ifPresent(programs::add);
            var kinds = new ArrayList<Kind>();
            kinds.add(new Kind("direct", lab.bystander("direct-client"), lab.bystander("direct-server"), List.of()));
            for (var program : programs) {
                var near = program.name() + "-a";
                var far = program.name() + "-b";
                var client = lab.pod(program.name() + "-client", near);
                var server = lab.pod(program.name() + "-server", far);
                kinds.add(new Kind(
                        program.name(),
                        client,
                        server,
                        Stream.of(near, far)
                                .map(node -> lab.proxy(node, program, AS_BUILT).pid())
                                .toList()));
            }
            StockProgram.ENVOY.find().map(envoy -> envoy(lab, envoy)).ifPresent(kinds::add);
            measure(lab, plan, kinds);
        }
        System.exit(0);
    }

    /// Envoy in the pods themselves, which is as near to a node proxy as it gets.
    private static Kind envoy(MeshLab lab, Path program) {
        var client = lab.pod("envoy-client", "envoy-a");
        var server = lab.pod("envoy-server", "envoy-b");
        var ports = List.of(TrafficServers.BULK_PORT, TrafficServers.HTTP_PORT);
        return new Kind(
                "envoy",
                client,
                server,
                List.of(
                        EnvoyProxy.originating(lab, program, client, server).pid(),
                        EnvoyProxy.terminating(lab, program, server, client, ports)
                                .pid()));
    }

    private static void measure(MeshLab lab, Plan plan, List<Kind> kinds) throws IOException {
        var table = new FigureTable(kinds.stream().map(Kind::name).toList());
        for (var kind : kinds) {
            TrafficServers.start(lab, kind.server());
        }
        for (var round = 0; round <= plan.rounds; round++) { // the first one warms up
            for (var kind : kinds) {
                var figures = figures(kind, plan.seconds);
                System.err.printf("round %d, %s: %s%n", round, kind.name(), Arrays.toString(figures));
                if (round > 0) {
                    table.add(kind.name(), figures);
                }
            }
        }
        System.out.print(table.text());
        System.out.println(table.json(Map.of("ratio_to_stock_ztunnel", "stock", "ratio_to_envoy", "envoy")));
    }

    private static double[] figures(Kind kind, int seconds) throws IOException {
        var traffic = new Traffic(kind.client(), kind.server(), seconds);
        var before = cpuSeconds(kind);
        var bulk = traffic.bulk();
        var cpu = (cpuSeconds(kind) - before) / (bulk * seconds / 8);
        var requests = traffic.requests();
        var connections = traffic.connections();
        return new double[] {bulk, cpu, requests.rate(), requests.median(), requests.p99(), connections, memory(kind)};
    }

    private static double cpuSeconds(Kind kind) throws IOException {
        var sum = 0.0;
        for (var proxy : kind.proxies()) {
            sum += ProcessFigures.cpuSeconds(proxy);
        }
        return sum;
    }

    private static double memory(Kind kind) throws IOException {
        var sum = 0.0;
        for (var proxy : kind.proxies()) {
            sum += ProcessFigures.residentMebibytes(proxy);
        }
        return kind.proxies().isEmpty() ? 0 : sum / kind.proxies().size();
    }
}
