// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.app.fathomd.http.ControlMetrics;
import io.fathom.app.http.JsonOut;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.model.peering.GatewayReach;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/// What is shown of gateways of other networks and how they can be reached.
public final class ReachPages {
    private static final List<String> LABELS = List.of("gateway", "cluster", "network", "address");

    private final Supplier<List<GatewayReach>> reach;

    public ReachPages(Supplier<List<GatewayReach>> reach) {
        this.reach = reach;
    }

    public void addTo(Pages pages, ControlMetrics metrics) {
        pages.debug(
                "reachz",
                "The gateways of other networks, and whether they can be reached",
                _ -> Page.Reply.json(json -> json.list(reach.get(), (out, row) -> out.object(it -> row(it, row)))));
        metrics.watch(
                "fathom_gateway_reach",
                "Gateways of other networks: 0 is reachable, 1 unknown, 2 suspect, 3 down.",
                LABELS,
                () -> values(row -> switch (row.verdict()) {
                    case REACHABLE -> 0;
                    case UNKNOWN -> 1;
                    case SUSPECT -> 2;
                    case DOWN -> 3;
                }));
        metrics.watch(
                "fathom_gateway_probe_failures",
                "How many probes of a gateway of another network failed in a row.",
                LABELS,
                () -> values(GatewayReach::failures));
        metrics.watch(
                "fathom_gateway_probe_milliseconds",
                "How long the last handshake with a gateway of another network took.",
                LABELS,
                () -> values(row -> Math.toIntExact(row.roundTrip().toMillis())));
    }

    private Map<List<String>, Integer> values(ToIntFunction<GatewayReach> value) {
        var values = new HashMap<List<String>, Integer>();
        reach.get()
                .forEach(row -> values.put(
                        List.of(row.gateway(), row.cluster(), row.network(), row.address()), value.applyAsInt(row)));
        return values;
    }

    private static void row(JsonOut json, GatewayReach row) {
        json.text("gateway", row.gateway())
                .text("cluster", row.cluster())
                .text("network", row.network())
                .text("address", row.address())
                .text("verdict", row.verdict().name())
                .text("since", row.since().toString())
                .count("failures", row.failures())
                .text("answered", row.answered().map(Object::toString).orElse(""))
                .number("roundTripMicros", row.roundTrip().toNanos() / 1000)
                .text("identity", row.seen())
                .text("code", row.code())
                .text("reason", row.reason());
    }
}
