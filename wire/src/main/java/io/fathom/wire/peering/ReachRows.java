// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import io.fathom.model.peering.GatewayReach;
import io.fathom.model.peering.ReachChange;
import io.fathom.model.peering.ReachChange.ReachExtent;
import io.fathom.model.peering.ReachChange.ReachRow;
import io.fathom.model.peering.Reachability;
import io.fathom.wire.proto.feed.Reach;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;

/// How gateways are reached, to messages of the feed and back.
final class ReachRows {
    private ReachRows() {}

    static Reach encode(ReachChange change) {
        var encoded = Reach.newBuilder().setReplace(change.extent() == ReachExtent.ALL);
        change.changed().forEach(row -> encoded.addRows(row(row)));
        change.gone()
                .forEach(row -> encoded.addGone(
                        Reach.Row.newBuilder().setGateway(row.gateway()).setAddress(row.address())));
        return encoded.build();
    }

    private static Reach.Row row(GatewayReach reach) {
        return Reach.Row.newBuilder()
                .setGateway(reach.gateway())
                .setCluster(reach.cluster())
                .setNetwork(reach.network())
                .setAddress(reach.address())
                .setVerdict(
                        switch (reach.verdict()) {
                            case REACHABLE -> Reach.Verdict.REACHABLE;
                            case UNKNOWN -> Reach.Verdict.UNKNOWN;
                            case SUSPECT -> Reach.Verdict.SUSPECT;
                            case DOWN -> Reach.Verdict.DOWN;
                        })
                .setSince(reach.since().toEpochMilli())
                .setFailures(reach.failures())
                .setAnswered(reach.answered().map(Instant::toEpochMilli).orElse(0L))
                .setRttUs((int) Math.min(Integer.MAX_VALUE, reach.roundTrip().toNanos() / 1000))
                .setSeenIdentity(reach.seen())
                .setCode(reach.code())
                .setReason(reach.reason())
                .build();
    }

    static ReachChange decode(Reach reach) {
        return new ReachChange(
                reach.getRowsList().stream().map(ReachRows::reach).toList(),
                reach.getGoneList().stream()
                        .map(row -> new ReachRow(row.getGateway(), row.getAddress()))
                        .collect(Collectors.toSet()),
                reach.getReplace() ? ReachExtent.ALL : ReachExtent.DELTA);
    }

    private static GatewayReach reach(Reach.Row row) {
        return new GatewayReach(
                row.getGateway(),
                row.getCluster(),
                row.getNetwork(),
                row.getAddress(),
                switch (row.getVerdict()) {
                    case REACHABLE -> Reachability.REACHABLE;
                    case SUSPECT -> Reachability.SUSPECT;
                    case DOWN -> Reachability.DOWN;
                    case UNKNOWN, UNRECOGNIZED -> Reachability.UNKNOWN;
                },
                Instant.ofEpochMilli(row.getSince()),
                row.getFailures(),
                Optional.of(row.getAnswered()).filter(time -> time > 0).map(Instant::ofEpochMilli),
                Duration.ofNanos(1000L * row.getRttUs()),
                row.getSeenIdentity(),
                row.getCode(),
                row.getReason());
    }
}
