// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.base.work.Parts;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.query.FathomdClient;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// `fathomctl fleet join`: a token of the management server, and with it an agent in a cluster. May be repeated: a
/// member that is connected needs no token.
///
/// @param fleet where the server is asked, unless a context is named
/// @param token makes one at a server
public record FleetJoin(
        Arguments arguments,
        Map<String, String> environment,
        FathomdClient fleet,
        Function<FathomdClient, JsonNode> token) {
    private static final String AGENT_PORT = "9900";

    /// A management server that is asked.
    ///
    /// @param agents where agents reach it, if that is known
    private record Server(FathomdClient pages, Optional<String> agents) {
        /// What it knows of a cluster; nothing of one that is no member.
        JsonNode member(String cluster) {
            for (var known : pages.json("/debug/fleetz").path("clusters")) {
                if (known.path("name").asText().equals(cluster)
                        && known.path("standing").asText().equals("MEMBER")) {
                    return known;
                }
            }
            return JsonNodeFactory.instance.objectNode();
        }

        /// Members that have a gateway, which everybody is told of.
        List<String> shared() {
            var names = new ArrayList<String>();
            pages.json("/debug/fleetz").path("clusters").forEach(known -> {
                if (known.path("standing").asText().equals("MEMBER")
                        && known.at("/gateway/distributeTo").asText().equals("*")) {
                    names.add(known.path("name").asText());
                }
            });
            return names;
        }
    }

    /// @param out takes a line for each step
    /// @return what there is now
    public ObjectNode run(String cluster, PrintWriter out) {
        var parts = new Parts();
        try {
            var server = server(parts);
            var report = new Report(out);
            return arguments.has(FleetFlags.MANIFESTS)
                    ? inFolder(cluster, server, report)
                    : inCluster(cluster, server, report);
        } finally {
            parts.close();
        }
    }

    private Server server(Parts parts) {
        var named = arguments.value(FleetFlags.SERVER);
        var context = arguments.value(FleetFlags.SERVER_CONTEXT);
        if (context.isEmpty()) {
            return new Server(fleet, named);
        }
        var target = new InstallTarget(arguments, environment);
        var namespace = FleetFlags.serverNamespace(arguments);
        var flags = List.of("--kubeconfig=" + target.kubeconfig(), "--context=" + context.get());
        var forward = parts.keep(PortForward.open(
                environment.getOrDefault("PATH", ""), flags, namespace, "deployment/" + FleetService.NAME, 9901));
        if (named.isPresent()) {
            return new Server(forward.client(), named);
        }
        try (var client = target.client(context)) {
            return new Server(forward.client(), new FleetService(client, namespace).address());
        }
    }

    /// Nothing for a member that needs none.
    private Optional<String> token(String cluster, Server server, Report report) {
        if (server.member(cluster).path("connected").asBoolean()) {
            report.say("  " + cluster + " is a member, and its agent is connected: it needs no token");
            return Optional.empty();
        }
        var made = token.apply(server.pages()).path("token").asText();
        report.done("Token for " + cluster + " made");
        return Optional.of(made);
    }

    private ObjectNode inFolder(String cluster, Server server, Report report) {
        var manifests = arguments.value(FleetFlags.MANIFESTS).orElse("");
        var token = token(cluster, server, report);
        var address = server.agents()
                .orElseGet(() -> server.pages().base().getHost() + ":" + AGENT_PORT)
                .replaceFirst("^localhost:", "127.0.0.1:");
        var command = new ArrayList<>(List.of(
                "fathom-agent",
                "--server",
                address,
                "--cluster-id",
                cluster,
                "--state-dir",
                arguments.value(FleetFlags.STATE_DIR).orElse("agent-" + cluster),
                "--manifests",
                manifests,
                "--output",
                Path.of(manifests, "fleet").toString()));
        token.ifPresent(it -> command.addAll(List.of("--token", it)));
        arguments.value(FleetFlags.CONTROL_PLANE).ifPresent(url -> command.addAll(List.of("--control-plane", url)));
        report.say("Start the agent where the control plane of " + cluster + " runs:");
        report.say("  " + String.join(" ", command));
        var done = JsonNodeFactory.instance.objectNode().put("cluster", cluster).put("server", address);
        command.forEach(done.putArray("command")::add);
        return done;
    }

    private ObjectNode inCluster(String cluster, Server server, Report report) {
        var address = server.agents()
                .orElseThrow(() -> Installation.problem(
                        "no-server-address",
                        "nobody knows where agents of other clusters reach the management server",
                        "name it with --server HOST:9900, or the cluster that it runs in with --server-context"));
        var target = new InstallTarget(arguments, environment);
        var agent = new FleetAgentRelease(target, arguments, cluster);
        try (var client = target.client()) {
            var place = agent.look(client);
            var token = token(cluster, server, report);
            var patience = InstallFlags.timeout(arguments);
            agent.install(place, address, token);
            report.done("Chart " + FleetAgentRelease.NAME + " installed in " + target.namespace());
            agent.await(client, patience);
            var waiting = new Waiting();
            if (!waiting.until(
                    patience, () -> server.member(cluster).path("connected").asBoolean())) {
                throw Installation.problem(
                        "agent-not-connected",
                        "the agent of " + cluster + " runs, and is not connected to the management server at "
                                + address,
                        "see why: kubectl -n " + target.namespace() + " logs deployment/" + FleetAgentRelease.NAME);
            }
            report.done(cluster + " is a member, and its agent is connected");
            var done = JsonNodeFactory.instance
                    .objectNode()
                    .put("cluster", cluster)
                    .put("server", address)
                    .put("connected", true);
            if (!place.hasGateway()) {
                report.say("! " + cluster + " has no east-west gateway, so the others cannot call it: fathomctl"
                        + " multicluster expose");
            } else if (!waiting.until(
                    patience, () -> agent.gateways(client).containsAll(gatewaysOf(cluster, server)))) {
                throw Installation.problem(
                        "gateways-missing",
                        "of Gateways " + gatewaysOf(cluster, server) + " only these are there: "
                                + agent.gateways(client),
                        "see why: kubectl -n " + target.namespace() + " logs deployment/" + FleetAgentRelease.NAME);
            }
            var gateways = agent.gateways(client);
            report.done("Gateways of the fleet: " + String.join(", ", gateways));
            gateways.forEach(done.putArray("gateways")::add);
            return done;
        }
    }

    private static List<String> gatewaysOf(String cluster, Server server) {
        return Stream.concat(Stream.of(cluster), server.shared().stream())
                .map(name -> "istio-remote-peer-" + name)
                .distinct()
                .sorted()
                .toList();
    }
}
