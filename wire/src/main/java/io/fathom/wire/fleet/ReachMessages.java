// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.PeerReach;
import io.fathom.model.fleet.PeerReach.ReachedAddress;
import io.fathom.model.peering.Reachability;
import io.fathom.wire.proto.fleet.ReachReport;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// What a cluster finds at the gateways of others, to messages and back.
final class ReachMessages {
    private static final long LONGEST_AGE = Duration.ofDays(365).toMillis();
    private static final int LONGEST_TEXT = 512;

    private ReachMessages() {}

    static ReachReport encode(FleetUp.Reach said) {
        var report = ReachReport.newBuilder()
                .setReplace(said.part() == FleetUp.ReachPart.FIRST)
                .setAgeMs(said.age().map(Duration::toMillis).orElse(0L));
        said.changed().forEach(row -> report.addRows(row(row)));
        said.gone()
                .forEach(at -> report.addGone(
                        ReachReport.Row.newBuilder().setTarget(at.target()).setAddress(at.address())));
        return report.build();
    }

    private static ReachReport.Row row(PeerReach reach) {
        return ReachReport.Row.newBuilder()
                .setTarget(reach.at().target())
                .setAddress(reach.at().address())
                .setVerdict(
                        switch (reach.verdict()) {
                            case REACHABLE -> ReachReport.Verdict.REACHABLE;
                            case UNKNOWN -> ReachReport.Verdict.UNKNOWN;
                            case SUSPECT -> ReachReport.Verdict.SUSPECT;
                            case DOWN -> ReachReport.Verdict.DOWN;
                        })
                .setSince(reach.since().getEpochSecond())
                .setRttUs((int) Math.min(Integer.MAX_VALUE, reach.roundTrip().toNanos() / 1000))
                .setSeenIdentity(reach.seen())
                .setCode(reach.code())
                .setReason(reach.reason())
                .build();
    }

    static FleetUp.Reach decode(ReachReport report) {
        return new FleetUp.Reach(
                report.getRowsList().stream().map(ReachMessages::reach).toList(),
                report.getGoneList().stream().map(ReachMessages::at).toList(),
                report.getReplace() ? FleetUp.ReachPart.FIRST : FleetUp.ReachPart.DELTA,
                Optional.of(report.getAgeMs())
                        .filter(millis -> millis > 0)
                        .map(millis -> Duration.ofMillis(Math.min(millis, LONGEST_AGE))));
    }

    private static PeerReach reach(ReachReport.Row row) {
        return new PeerReach(
                at(row),
                switch (row.getVerdict()) {
                    case REACHABLE -> Reachability.REACHABLE;
                    case SUSPECT -> Reachability.SUSPECT;
                    case DOWN -> Reachability.DOWN;
                    case UNKNOWN, UNRECOGNIZED -> Reachability.UNKNOWN;
                },
                Instant.ofEpochSecond(Math.clamp(row.getSince(), 0, Integer.MAX_VALUE * 2L)),
                Duration.ofNanos(1000L * Math.max(0, row.getRttUs())),
                text(row.getSeenIdentity()),
                text(row.getCode()),
                text(row.getReason()));
    }

    private static ReachedAddress at(ReachReport.Row row) {
        return new ReachedAddress(row.getTarget(), text(row.getAddress()));
    }

    /// It is kept and shown, so it has an end.
    private static String text(String said) {
        return said.length() <= LONGEST_TEXT ? said : said.substring(0, LONGEST_TEXT);
    }
}
