// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.BuildInfo;
import io.fathom.app.http.JsonOut;
import io.fathom.app.http.MetricsText;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.fleet.agent.AgentStatus;
import io.fathom.fleet.agent.FleetAgent;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Locale;
import java.util.Optional;

/// What an agent shows over HTTP.
final class AgentPages {
    private AgentPages() {}

    static Pages of(FleetAgent agent, Optional<ControlPlaneLink> plane) {
        var metrics = metrics(agent, plane);
        return new Pages("fathom-agent")
                .index("/")
                .probe("/ready", "200 for a member, whether or not its server answers", _ -> ready(agent.status()))
                .open(
                        "/version",
                        "Which build this is",
                        _ -> Page.Reply.text(BuildInfo.current().text()))
                .open(
                        "/metrics",
                        "Metrics for Prometheus",
                        _ -> new Page.Reply.Text(200, MetricsText.CONTENT_TYPE, MetricsText.of(metrics.scrape())))
                .debug(
                        "agentz",
                        "What it knows and does",
                        _ -> Page.Reply.json(json -> show(json, agent.status(), plane)));
    }

    private static Page.Reply ready(AgentStatus status) {
        return switch (status.phase()) {
            case CONNECTED, DISCONNECTED -> Page.Reply.text("ready");
            case JOINING -> Page.Reply.text(503, "not ready: not a member yet");
            case LEFT -> Page.Reply.text(503, "not ready: the cluster has left the fleet");
        };
    }

    private static void show(JsonOut json, AgentStatus status, Optional<ControlPlaneLink> plane) {
        json.object(all -> {
            all.text("cluster", status.cluster())
                    .text("uid", status.uid())
                    .text("phase", status.phase().name().toLowerCase(Locale.ROOT))
                    .text("heard", status.heard().map(Object::toString).orElse(""));
            plane.ifPresent(link -> all.number("controlPlanes", link.listening()));
            status.gateway().ifPresent(fact -> all.object("gateway", gateway -> GatewayJson.show(gateway, fact)));
            all.wholeList(
                            "peers",
                            status.peers(),
                            (list, peer) -> list.object(fields -> {
                                fields.text("cluster", peer.cluster()).text("uid", peer.uid());
                                fields.object("gateway", gateway -> GatewayJson.show(gateway, peer.fact()));
                            }))
                    .texts("withheld", status.withheld())
                    .wholeList(
                            "problems",
                            status.problems(),
                            (list, problem) -> list.object(fields -> fields.text("code", problem.code())
                                    .text("message", problem.message())
                                    .text("fix", problem.fix())));
        });
    }

    private static PrometheusRegistry metrics(FleetAgent agent, Optional<ControlPlaneLink> plane) {
        var registry = new PrometheusRegistry();
        GaugeWithCallback.builder()
                .name("fathom_agent_phase")
                .help("1 for the phase that the agent is in.")
                .labelNames("phase")
                .callback(callback -> {
                    for (var phase : AgentStatus.AgentPhase.values()) {
                        callback.call(
                                agent.status().phase() == phase ? 1 : 0,
                                phase.name().toLowerCase(Locale.ROOT));
                    }
                })
                .register(registry);
        GaugeWithCallback.builder()
                .name("fathom_agent_peers")
                .help("Clusters that are known.")
                .callback(callback -> callback.call(agent.status().peers().size()))
                .register(registry);
        GaugeWithCallback.builder()
                .name("fathom_agent_problems")
                .help("What is wrong at the moment.")
                .callback(callback -> callback.call(agent.status().problems().size()))
                .register(registry);
        plane.ifPresent(link -> GaugeWithCallback.builder()
                .name("fathom_agent_control_planes")
                .help("Replicas of the control plane that are told what other clusters have.")
                .callback(callback -> callback.call(link.listening()))
                .register(registry));
        return registry;
    }
}
