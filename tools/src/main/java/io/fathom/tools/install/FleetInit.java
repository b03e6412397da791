// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.fleet.server.FleetPolicy;
import io.fathom.fleet.server.FolderStore;
import io.fathom.fleet.server.ManagementServer;
import io.fathom.fleet.server.ServicePolicy;
import io.fathom.tools.args.Arguments;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Json;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// `fathomctl fleet init`: a management server in a cluster, or the folder that one runs on. May be repeated.
public record FleetInit(Arguments arguments, Map<String, String> environment) {
    private static final String FLEET = "fleet.local";

    /// @param out takes a line for each step
    /// @return what there is now
    public ObjectNode run(PrintWriter out) {
        return arguments.has(FleetFlags.STATE_DIR)
                ? inFolder(Path.of(arguments.value(FleetFlags.STATE_DIR).orElse("")), new Report(out))
                : inCluster(new Report(out));
    }

    private ObjectNode inFolder(Path folder, Report report) {
        var policy = new FleetPolicy(FLEET, Set.of(), Duration.ofDays(7), ServicePolicy.OPEN);
        String key;
        try (var store = FolderStore.open(folder)) {
            key = ManagementServer.prepare(store, policy, InstantSource.system().instant());
        }
        report.done("The keys of the fleet are in " + folder + ": back it up");
        var command = List.of("fathom-fleet", "--state-dir", folder.toString());
        report.say("Start the management server, and let clusters join:");
        report.say("  " + String.join(" ", command));
        report.say("  fathomctl fleet join CLUSTER --manifests DIR");
        var done = JsonNodeFactory.instance
                .objectNode()
                .put("stateDir", folder.toString())
                .put("serverKey", key);
        command.forEach(done.putArray("command")::add);
        return done;
    }

    private ObjectNode inCluster(Report report) {
        var target = new InstallTarget(arguments, environment);
        var namespace = FleetFlags.serverNamespace(arguments);
        var chart = target.chart(FleetService.NAME, FleetFlags.CHARTS);
        var helm = target.helm(namespace);
        try (var client = target.client()) {
            Installation.namespace(client, namespace);
            helm.install(chart, FleetService.NAME, FleetFlags.values(Json.of(Map.of()), arguments));
            report.done("Chart " + FleetService.NAME + " installed in " + namespace);
            new Workloads(client, namespace)
                    .await(
                            "Management server",
                            new Workloads.Workload(KubeResource.DEPLOYMENTS, "Deployment", FleetService.NAME),
                            InstallFlags.timeout(arguments));
            report.done("Management server runs");
            var address = new FleetService(client, namespace).address();
            address.ifPresentOrElse(
                    it -> report.done("Agents reach it at " + it),
                    () -> report.failed(
                            "Agents of other clusters do not reach it: its Service has no address outside",
                            "give --set service.type=LoadBalancer or NodePort, or name one with fleet join --server"));
            var context = arguments.value(InstallFlags.CONTEXT);
            report.say("Let clusters join: fathomctl fleet join CLUSTER --context CLUSTER --server-context "
                    + context.orElse("NAME"));
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("namespace", namespace)
                    .put("context", context.orElse(""))
                    .put("address", address.orElse(""));
        }
    }
}
