// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.lang.Likeness;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Command;
import io.fathom.tools.args.Flag;
import io.fathom.tools.query.FathomdClient;
import io.fathom.tools.query.TextTable;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// Asks the management server of a fleet, and tells it what to do.
final class FleetCommand {
    private static final String ADDRESS_VARIABLE = "FATHOM_FLEET";
    private static final String DEFAULT_ADDRESS = "localhost:9901";
    private static final String HELP = """
            Let clusters join a fleet, list them, and let them leave.
              token CLUSTER  a token that lets a cluster of that name join, once
              status         the clusters of the fleet
              clusters       the same with their agents, and how much they export
              services       what clusters export, and how many endpoints are ready where
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

    private FleetCommand() {}

    static Command command(Map<String, String> environment) {
        return new Command(
                "fleet",
                List.of(),
                "token CLUSTER | status | clusters | services | policy | leave CLUSTER",
                HELP,
                List.of(SERVER, OUTPUT, TTL, NETWORK, TRUST_DOMAIN, LABEL),
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
                "start one with bin/fathom-fleet, or name the HTTP port of a running one: --fleet HOST:PORT",
                problem.origin(),
                problem.retry()));
    }

    private static int run(Arguments arguments, Map<String, String> environment, PrintWriter out) {
        var server = FathomdClient.of(arguments
                .value(SERVER)
                .or(() -> Optional.ofNullable(environment.get(ADDRESS_VARIABLE)))
                .filter(text -> !text.isEmpty())
                .orElse(DEFAULT_ADDRESS));
        var output = output(arguments);
        var operands = arguments.operands();
        var verb = operands.isEmpty() ? "" : operands.getFirst();
        switch (verb) {
            case "token" -> token(server, cluster(operands), arguments, output, out);
            case "status" -> status(server, output, out);
            case "clusters" -> clusters(server, output, out);
            case "services" -> services(server, output, out);
            case "policy" -> policy(server, output, out);
            case "leave" -> leave(server, cluster(operands), output, out);
            default ->
                throw usage(
                        verb.isEmpty() ? "fleet does what?" : "fleet cannot '" + verb + "'",
                        Likeness.closest(verb, Stream.of("token", "status", "clusters", "services", "policy", "leave"))
                                .map(likely -> "did you mean " + likely + "?")
                                .orElse("give token CLUSTER, status, clusters, services, policy or leave CLUSTER"));
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

    private static void token(
            FathomdClient server, String cluster, Arguments arguments, Output output, PrintWriter out) {
        var query = new ArrayList<>(List.of("cluster=" + encoded(cluster)));
        arguments.value(TTL).ifPresent(ttl -> query.add("ttl=" + encoded(ttl)));
        query.add("network=" + encoded(String.join(",", arguments.all(NETWORK))));
        query.add("trust-domain=" + encoded(String.join(",", arguments.all(TRUST_DOMAIN))));
        query.add("label=" + encoded(String.join(",", arguments.all(LABEL))));
        var made = server.act("/fleet/token?" + String.join("&", query));
        if (output == Output.JSON) {
            out.println(made.toPrettyString());
            return;
        }
        out.println(made.path("token").asText());
        out.println();
        out.printf(
                "Within %s, in cluster %s: fathom-agent --server HOST:%s --cluster-id %s --token TOKEN%n",
                minutes(made.path("lifetimeSeconds").asLong()),
                cluster,
                made.path("port").asText(),
                cluster);
    }

    private static String minutes(long seconds) {
        return seconds < 120 ? seconds + "s" : seconds / 60 + " minutes";
    }

    private static void status(FathomdClient server, Output output, PrintWriter out) {
        var status = server.json("/debug/fleetz");
        if (output == Output.JSON) {
            out.println(status.toPrettyString());
            return;
        }
        var table = new TextTable("CLUSTER", "STANDING", "CONNECTED", "NETWORK", "GATEWAY", "STATE");
        status.path("clusters")
                .forEach(cluster -> table.row(
                        cluster.path("name").asText(),
                        cluster.path("standing").asText().toLowerCase(Locale.ROOT),
                        cluster.path("connected").asBoolean() ? "yes" : "no",
                        texts(cluster.path("networks")),
                        address(cluster.path("gateway")),
                        cluster.path("gateway").path("state").asText().toLowerCase(Locale.ROOT)));
        if (table.isEmpty()) {
            out.println("no cluster has joined: fathomctl fleet token CLUSTER");
        } else {
            table.print(out);
        }
    }

    private static void clusters(FathomdClient server, Output output, PrintWriter out) {
        var clusters = server.json("/debug/fleetz").path("clusters");
        if (output == Output.JSON) {
            out.println(clusters.toPrettyString());
            return;
        }
        var table = new TextTable("CLUSTER", "STANDING", "SINCE", "AGENT", "SERVICES", "TRUST DOMAINS");
        clusters.forEach(cluster -> table.row(
                cluster.path("name").asText(),
                cluster.path("standing").asText().toLowerCase(Locale.ROOT),
                cluster.path("connected").asBoolean() ? cluster.path("since").asText() : "not connected",
                cluster.path("software").asText(),
                cluster.path("exports").asText("0"),
                texts(cluster.path("trustDomains"))));
        table.print(out);
    }

    private static void services(FathomdClient server, Output output, PrintWriter out) {
        var services = server.json("/debug/servicez").path("services");
        if (output == Output.JSON) {
            out.println(services.toPrettyString());
            return;
        }
        var table = new TextTable("NAMESPACE", "SERVICE", "CLUSTER", "READY");
        for (var service : services) {
            var path = service.path("service").asText();
            var slash = path.indexOf('/');
            service.path("clusters")
                    .forEach(cluster -> table.row(
                            path.substring(0, slash),
                            path.substring(slash + 1),
                            cluster.path("name").asText(),
                            cluster.path("ready").asText("0")));
        }
        if (table.isEmpty()) {
            out.println("no cluster exports a service: the label istio.io/global=\"true\" of a Service does");
        } else {
            table.print(out);
        }
    }

    private static void policy(FathomdClient server, Output output, PrintWriter out) {
        var policy = server.json("/debug/policyz");
        if (output == Output.JSON) {
            out.println(policy.toPrettyString());
            return;
        }
        var problem = policy.path("problem").asText();
        if (!problem.isEmpty()) {
            out.println("The file has a mistake, so what it said before holds: " + problem);
        }
        var table = new TextTable("CLUSTERS", "EXPORTS", "IMPORTS");
        policy.path("rules")
                .forEach(rule -> table.row(
                        namesOrNone(rule.path("clusters")),
                        namesOrNone(rule.path("exports")),
                        namesOrNone(rule.path("imports"))));
        if (table.isEmpty()) {
            out.println("every cluster may export and import all namespaces: fathom-fleet --service-policy FILE");
        } else {
            table.print(out);
        }
    }

    private static String namesOrNone(JsonNode names) {
        return names.isEmpty() ? "none" : texts(names);
    }

    private static String texts(JsonNode list) {
        return String.join(
                ",",
                StreamSupport.stream(list.spliterator(), false)
                        .map(JsonNode::asText)
                        .toList());
    }

    private static String address(JsonNode gateway) {
        var first = gateway.path("addresses").path(0);
        var host = first.path("host").asText();
        return host.isEmpty()
                ? ""
                : (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":"
                        + first.path("hbonePort").asText();
    }

    private static void leave(FathomdClient server, String cluster, Output output, PrintWriter out) {
        var left = server.act("/fleet/leave?cluster=" + encoded(cluster));
        out.println(output == Output.JSON ? left.toPrettyString() : "cluster " + cluster + " has left the fleet");
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
