// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.base.lang.Likeness;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Command;
import io.fathom.tools.args.Flag;
import io.fathom.tools.install.FleetFlags;
import io.fathom.tools.install.FleetInit;
import io.fathom.tools.install.FleetJoin;
import io.fathom.tools.query.FathomdClient;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

/// Asks the management server of a fleet, and tells it what to do.
final class FleetCommand {
    private static final String ADDRESS_VARIABLE = "FATHOM_FLEET";
    private static final String DEFAULT_ADDRESS = "localhost:9901";
    private static final String HELP = """
            Let clusters join a fleet, list them, and let them leave.
              init           a management server in a cluster, or the folder for one
              join CLUSTER   a token, and with it an agent in a cluster
              token CLUSTER  a token that lets a cluster of that name join, once
              status         the clusters of the fleet
              clusters       the same with their agents, and how much they export
              services       what clusters export, and how many endpoints are ready where
              reach          whose gateways each cluster reaches, as it finds itself
              policy         which namespaces clusters may export and import
              leave CLUSTER  end a membership: the Gateways for that cluster go everywhere""";
    private static final Flag SERVER = Flag.of(
            "--fleet",
            "HOST:PORT",
            "HTTP port of the management server, on loopback. [" + ADDRESS_VARIABLE + ", default " + DEFAULT_ADDRESS
                    + "]");
    private static final Flag OUTPUT =
            Flag.of("--output", "FORMAT", "table (default) or json").orShort("-o");
    private static final Flag TTL = Flag.of("--ttl", "TIME", "How long the token is good; 1h unless given.");
    private static final Flag NETWORK =
            Flag.of("--network", "NAME", "A network that the cluster may be on, also with others. Repeatable.");
    private static final Flag TRUST_DOMAIN =
            Flag.of("--trust-domain", "NAME", "A trust domain that the cluster may have. Repeatable.");
    private static final Flag LABEL = Flag.of(
            "--label",
            "KEY=VALUE",
            "A label of the cluster, for distribute-to: label:KEY=VALUE of other clusters. Repeatable.");

    private static final List<String> VERBS =
            List.of("init", "join", "token", "status", "clusters", "services", "reach", "policy", "leave");

    private FleetCommand() {}

    /// Where an answer of the server goes, and how.
    private record Answer(Output output, PrintWriter out) {
        void of(JsonNode json, BiConsumer<JsonNode, PrintWriter> forPeople) {
            switch (output) {
                case JSON -> out.println(json.toPrettyString());
                case TABLE -> forPeople.accept(json, out);
            }
        }

        /// Of something that takes a while and tells people how far it is.
        void ofWork(Function<PrintWriter, ObjectNode> work) {
            switch (output) {
                case JSON ->
                    out.println(work.apply(new PrintWriter(Writer.nullWriter())).toPrettyString());
                case TABLE -> {
                    var _ = work.apply(out);
                }
            }
        }
    }

    static Command command(Map<String, String> environment) {
        return new Command(
                "fleet",
                List.of(),
                "init | join CLUSTER | token CLUSTER | status | clusters | services | reach | policy | leave CLUSTER",
                HELP,
                Stream.concat(Stream.of(SERVER, OUTPUT, TTL, NETWORK, TRUST_DOMAIN, LABEL), FleetFlags.ALL.stream())
                        .toList(),
                (arguments, out) -> {
                    try {
                        return run(arguments, environment, out);
                    } catch (ProblemException e) {
                        throw e.problem().code().equals("no-fathomd") ? noServer(e.problem()) : e;
                    }
                });
    }

    private static ProblemException noServer(Problem problem) {
        return new ProblemException(new Problem(
                "no-fleet-server",
                problem.message().replace("fathomd", "management server"),
                "start one with fathomctl fleet init or bin/fathom-fleet, or name the HTTP port of a running one: --fleet HOST:PORT",
                problem.origin(),
                problem.retry()));
    }

    private static int run(Arguments arguments, Map<String, String> environment, PrintWriter out) {
        var server = FathomdClient.of(arguments
                .value(SERVER)
                .or(() -> Optional.ofNullable(environment.get(ADDRESS_VARIABLE)))
                .filter(text -> !text.isEmpty())
                .orElse(DEFAULT_ADDRESS));
        var answer = new Answer(output(arguments), out);
        var operands = arguments.operands();
        var verb = operands.isEmpty() ? "" : operands.getFirst();
        switch (verb) {
            case "init" -> answer.ofWork(new FleetInit(arguments, environment)::run);
            case "join" -> {
                var cluster = cluster(operands);
                var join = new FleetJoin(arguments, environment, server, asked -> token(asked, cluster, arguments));
                answer.ofWork(progress -> join.run(cluster, progress));
            }
            case "token" -> {
                var cluster = cluster(operands);
                show(cluster, token(server, cluster, arguments), answer);
            }
            case "status" -> answer.of(server.json("/debug/fleetz"), FleetTables::status);
            case "clusters" -> answer.of(server.json("/debug/fleetz").path("clusters"), FleetTables::clusters);
            case "services" -> answer.of(server.json("/debug/servicez").path("services"), FleetTables::services);
            case "reach" -> answer.of(server.json("/debug/reachz"), ReachTables::print);
            case "policy" -> answer.of(server.json("/debug/policyz"), FleetTables::policy);
            case "leave" -> leave(server, cluster(operands), answer);
            default ->
                throw usage(
                        verb.isEmpty() ? "fleet does what?" : "fleet cannot '" + verb + "'",
                        Likeness.closest(verb, VERBS.stream())
                                .map(likely -> "did you mean " + likely + "?")
                                .orElse("give " + String.join(", ", VERBS)));
        }
        return 0;
    }

    private static String cluster(List<String> operands) {
        if (operands.size() == 2) {
            return operands.get(1);
        }
        throw usage(
                "fleet " + operands.getFirst() + " is for one cluster",
                "write fathomctl fleet " + operands.getFirst() + " CLUSTER");
    }

    private static JsonNode token(FathomdClient server, String cluster, Arguments arguments) {
        var query = new ArrayList<>(List.of("cluster=" + encoded(cluster)));
        arguments.value(TTL).ifPresent(ttl -> query.add("ttl=" + encoded(ttl)));
        query.add("network=" + encoded(String.join(",", arguments.all(NETWORK))));
        query.add("trust-domain=" + encoded(String.join(",", arguments.all(TRUST_DOMAIN))));
        query.add("label=" + encoded(String.join(",", arguments.all(LABEL))));
        return server.act("/fleet/token?" + String.join("&", query));
    }

    private static void show(String cluster, JsonNode token, Answer answer) {
        answer.of(token, (made, out) -> {
            out.println(made.path("token").asText());
            out.println();
            out.printf(
                    "Within %s, in cluster %s: fathom-agent --server HOST:%s --cluster-id %s --token TOKEN%n",
                    minutes(made.path("lifetimeSeconds").asLong()),
                    cluster,
                    made.path("port").asText(),
                    cluster);
        });
    }

    private static String minutes(long seconds) {
        return seconds < 120 ? seconds + "s" : seconds / 60 + " minutes";
    }

    private static void leave(FathomdClient server, String cluster, Answer answer) {
        answer.of(
                server.act("/fleet/leave?cluster=" + encoded(cluster)),
                (_, out) -> out.println("cluster " + cluster + " has left the fleet"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static Output output(Arguments arguments) {
        return switch (arguments.value(OUTPUT).orElse("table")) {
            case "table" -> Output.TABLE;
            case "json" -> Output.JSON;
            default -> throw usage("--output: there is no such format", "give table or json");
        };
    }

    private static ProblemException usage(String message, String fix) {
        return new ProblemException(Problem.ofInput("bad-command-line", message, fix));
    }
}
