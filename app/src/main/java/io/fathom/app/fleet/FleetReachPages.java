// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.http.JsonOut;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.fleet.server.FleetReach;
import io.fathom.fleet.server.ManagementServer;
import io.fathom.model.fleet.PeerReach;
import io.fathom.model.peering.Reachability;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;

/// Who reaches whom in a fleet, as the clusters themselves say.
record FleetReachPages(ManagementServer server, InstantSource clock) {
    Pages addTo(Pages pages) {
        return pages.debug(
                "reachz",
                "Which gateways each cluster reaches, as its control plane finds by probing",
                _ -> Page.Reply.json(this::show));
    }

    private void show(JsonOut json) {
        var now = clock.instant();
        json.object(all -> all.wholeList(
                "clusters", server.reach(), (list, from) -> list.object(fields -> show(fields, from, now))));
    }

    private static void show(JsonOut json, FleetReach from, Instant now) {
        json.text("name", from.cluster()).flag("reports", from.asOf().isPresent());
        from.asOf()
                .ifPresent(then -> json.text("asOf", then.toString())
                        .count(
                                "ageSeconds",
                                Math.max(0, Duration.between(then, now).toSeconds())));
        json.wholeList(
                "peers",
                from.peers().entrySet(),
                (list, peer) -> list.object(fields -> fields.text("name", peer.getKey())
                        .text("verdict", word(FleetReach.verdict(peer.getValue())))
                        .wholeList(
                                "gateways", peer.getValue(), (rows, found) -> rows.object(row -> show(row, found)))));
    }

    private static void show(JsonOut json, PeerReach found) {
        json.text("address", found.at().address())
                .text("verdict", word(found.verdict()))
                .text("since", found.since().toString())
                .number("roundTripMicros", found.roundTrip().toNanos() / 1000)
                .text("identity", found.seen())
                .text("code", found.code())
                .text("reason", found.reason());
    }

    private static String word(Reachability verdict) {
        return verdict.name().toLowerCase(Locale.ROOT);
    }

    void addTo(PrometheusRegistry registry) {
        GaugeWithCallback.builder()
                .name("fathom_fleet_reach")
                .help("Other clusters whose gateways a cluster probes, by what it finds.")
                .labelNames("cluster", "verdict")
                .callback(callback -> server.reachCounts().forEach(from -> {
                    for (var verdict : Reachability.values()) {
                        callback.call(from.clusters().getOrDefault(verdict, 0), from.cluster(), word(verdict));
                    }
                }))
                .register(registry);
        GaugeWithCallback.builder()
                .name("fathom_fleet_reach_age_seconds")
                .help("How old what a cluster says of gateways is.")
                .labelNames("cluster")
                .callback(callback -> server.reachCounts()
                        .forEach(from -> from.asOf()
                                .ifPresent(then -> callback.call(
                                        Duration.between(then, clock.instant()).toMillis() / 1e3, from.cluster()))))
                .register(registry);
    }
}
