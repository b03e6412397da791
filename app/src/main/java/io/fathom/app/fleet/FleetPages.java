// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.BuildInfo;
import io.fathom.app.http.JsonOut;
import io.fathom.app.http.MetricsText;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.base.lang.DurationText;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.server.FleetStatus;
import io.fathom.fleet.server.ManagementServer;
import io.fathom.fleet.server.Registration;
import io.fathom.fleet.server.ServicePolicy;
import io.fathom.fleet.server.SharedService;
import io.fathom.model.fleet.ClusterLabels;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// What a management server shows and does over HTTP. Whoever may speak to loopback there may let clusters join.
final class FleetPages {
    private static final Duration TOKEN_LIFE = Duration.ofHours(1);
    private static final Duration LONGEST_TOKEN_LIFE = Duration.ofDays(7);

    private FleetPages() {}

    /// @param policy where what may be exported to whom is written
    static Pages of(ManagementServer server, Optional<ServicePolicyFile> policy, InstantSource clock) {
        var reach = new FleetReachPages(server, clock);
        var metrics = metrics(server);
        reach.addTo(metrics);
        return reach.addTo(new Pages("fathom-fleet")
                .index("/")
                .probe("/ready", "200 as soon as agents may connect", _ -> Page.Reply.text("ready"))
                .open(
                        "/version",
                        "Which build this is",
                        _ -> Page.Reply.text(BuildInfo.current().text()))
                .open(
                        "/metrics",
                        "Metrics for Prometheus",
                        _ -> new Page.Reply.Text(200, MetricsText.CONTENT_TYPE, MetricsText.of(metrics.scrape())))
                .debug("fleetz", "The clusters of the fleet", _ -> Page.Reply.json(json -> show(json, server.status())))
                .debug(
                        "servicez",
                        "What clusters export, by service",
                        _ -> Page.Reply.json(json -> services(json, server.services())))
                .debug(
                        "policyz",
                        "Which namespaces clusters may export and import",
                        _ -> Page.Reply.json(json -> show(json, server.servicePolicy(), policy)))
                .action("/fleet/token", "POST: a token to join with, ?cluster=NAME", query -> token(server, query))
                .action("/fleet/leave", "POST: ends the membership of ?cluster=NAME", query -> leave(server, query)));
    }

    private static Page.Reply token(ManagementServer server, Page.Query query) {
        var cluster = query.parameter("cluster").orElse("");
        var life = query.parameter("ttl")
                .map(text -> DurationText.parse(text).orElse(Duration.ZERO))
                .orElse(TOKEN_LIFE);
        if (!life.isPositive() || life.compareTo(LONGEST_TOKEN_LIFE) > 0) {
            return Page.Reply.text(400, "bad-ttl: give a time of at most 168h, like 1h");
        }
        ClusterLabels labels;
        try {
            labels = ClusterLabels.parse(words(query, "label"));
        } catch (IllegalArgumentException e) {
            return Page.Reply.text(400, "bad-label: " + e.getMessage() + "; give --label KEY=VALUE");
        }
        var bounds = new Registration.Bounds(words(query, "network"), words(query, "trust-domain"), labels);
        try {
            var token = server.issue(cluster, bounds, life);
            return Page.Reply.json(json -> json.object(fields -> fields.text("cluster", cluster)
                    .text("token", token.text())
                    .number("lifetimeSeconds", life.toSeconds())
                    .number("port", server.port())));
        } catch (ProblemException e) {
            return Page.Reply.text(400, e.problem().code() + ": " + e.problem());
        }
    }

    private static List<String> words(Page.Query query, String name) {
        return Arrays.stream(query.parameter(name).orElse("").split(",", -1))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    private static Page.Reply leave(ManagementServer server, Page.Query query) {
        var cluster = query.parameter("cluster").orElse("");
        try {
            server.leave(cluster);
            return Page.Reply.json(json ->
                    json.object(fields -> fields.text("cluster", cluster).text("standing", "left")));
        } catch (ProblemException e) {
            return Page.Reply.text(400, e.problem().code() + ": " + e.problem());
        }
    }

    private static void show(JsonOut json, FleetStatus status) {
        json.object(all -> all.text("fleet", status.fleet())
                .count("openTokens", status.openTokens())
                .count("services", status.services().services())
                .wholeList("clusters", status.clusters(), FleetPages::show)
                .object("events", fields -> status.events().forEach(fields::number)));
    }

    private static void services(JsonOut json, List<SharedService> services) {
        json.object(all -> all.wholeList(
                "services",
                services,
                (one, service) -> one.object(fields -> fields.text("service", service.path())
                        .wholeList(
                                "clusters",
                                service.origins(),
                                (row, origin) -> row.object(
                                        of -> of.text("name", origin.cluster()).count("ready", origin.ready()))))));
    }

    private static void show(JsonOut json, FleetStatus.ClusterStatus cluster) {
        var registration = cluster.registration();
        json.object(fields -> {
            fields.text("name", registration.name())
                    .text("uid", registration.uid())
                    .number("handle", registration.handle())
                    .text("standing", registration.standing().name())
                    .text("joined", registration.joined().toString())
                    .flag("connected", cluster.since().isPresent())
                    .text("since", cluster.since().map(Object::toString).orElse(""))
                    .text("peer", cluster.peer())
                    .text("software", cluster.software())
                    .count("exports", cluster.exports())
                    .texts("networks", registration.bounds().networks())
                    .texts("trustDomains", registration.bounds().trustDomains())
                    .texts("labels", registration.bounds().labels().values());
            registration
                    .gateway()
                    .ifPresent(fact -> fields.object("gateway", gateway -> GatewayJson.show(gateway, fact)));
        });
    }

    private static void show(JsonOut json, ServicePolicy policy, Optional<ServicePolicyFile> file) {
        json.object(all -> all.text("file", file.map(it -> it.file().toString()).orElse(""))
                .text(
                        "problem",
                        file.flatMap(ServicePolicyFile::problem)
                                .map(Problem::toString)
                                .orElse(""))
                .count("mostServices", policy.mostServices())
                .wholeList(
                        "rules",
                        policy.rules(),
                        (each, rule) -> each.object(
                                fields -> fields.wholeList("clusters", sorted(rule.clusters()), JsonOut::value)
                                        .wholeList("exports", sorted(rule.exports()), JsonOut::value)
                                        .wholeList("imports", sorted(rule.imports()), JsonOut::value))));
    }

    private static List<String> sorted(Set<String> names) {
        return names.stream().sorted().toList();
    }

    private static PrometheusRegistry metrics(ManagementServer server) {
        var registry = new PrometheusRegistry();
        GaugeWithCallback.builder()
                .name("fathom_fleet_clusters")
                .help("Clusters by standing.")
                .labelNames("standing")
                .callback(callback -> {
                    for (var standing : Registration.ClusterStanding.values()) {
                        callback.call(
                                count(server, cluster -> cluster.registration().standing() == standing),
                                standing.name().toLowerCase(Locale.ROOT));
                    }
                })
                .register(registry);
        GaugeWithCallback.builder()
                .name("fathom_fleet_streams")
                .help("Clusters that are connected.")
                .callback(callback ->
                        callback.call(count(server, cluster -> cluster.since().isPresent())))
                .register(registry);
        GaugeWithCallback.builder()
                .name("fathom_fleet_services")
                .help("Services that clusters export, each name once.")
                .callback(callback -> callback.call(server.status().services().services()))
                .register(registry);
        GaugeWithCallback.builder()
                .name("fathom_fleet_exports")
                .help("Services that clusters export, each once for each cluster.")
                .callback(callback ->
                        callback.call((double) server.status().services().facts()))
                .register(registry);
        GaugeWithCallback.builder()
                .name("fathom_fleet_connections")
                .help("Connections of members, and of strangers: those without a certificate of the fleet.")
                .labelNames("of")
                .callback(callback -> {
                    var counts = server.connections();
                    callback.call(counts.members(), "members");
                    callback.call(counts.strangers(), "strangers");
                })
                .register(registry);
        GaugeWithCallback.builder()
                .name("fathom_fleet_servers_followed")
                .help("Other management servers that tell this one what their clusters say.")
                .callback(callback -> callback.call(server.followed()))
                .register(registry);
        CounterWithCallback.builder()
                .name("fathom_fleet_connections_closed_total")
                .help("Connections that were closed to make room, by reason.")
                .labelNames("reason")
                .callback(callback -> server.connections()
                        .evicted()
                        .forEach((reason, count) -> callback.call((double) count, reason.code())))
                .register(registry);
        CounterWithCallback.builder()
                .name("fathom_fleet_bytes_total")
                .help("Bytes of messages from and to agents.")
                .labelNames("direction")
                .callback(callback -> {
                    callback.call(server.bytesReceived(), "received");
                    callback.call(server.bytesSent(), "sent");
                })
                .register(registry);
        CounterWithCallback.builder()
                .name("fathom_fleet_waited_seconds_total")
                .help("For how long a cluster had to wait because it said too much at once.")
                .labelNames("cluster")
                .callback(callback ->
                        server.waited().forEach((cluster, time) -> callback.call(time.toMillis() / 1000.0, cluster)))
                .register(registry);
        CounterWithCallback.builder()
                .name("fathom_fleet_events_total")
                .help("What the audit log tells of, by kind.")
                .labelNames("event")
                .callback(callback ->
                        server.status().events().forEach((event, count) -> callback.call((double) count, event)))
                .register(registry);
        return registry;
    }

    private static int count(ManagementServer server, Predicate<FleetStatus.ClusterStatus> condition) {
        return (int) server.status().clusters().stream().filter(condition).count();
    }
}
