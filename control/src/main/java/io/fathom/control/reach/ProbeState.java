// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.reach;

import io.fathom.model.peering.Reachability;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// What is known of one address of a gateway after some probes. A failure alone changes nothing; one success makes up
/// for all of them. Immutable.
///
/// @param failures in a row
/// @param since when the verdict began
/// @param answered when it was proven last
/// @param last finding; empty before the first probe
public record ProbeState(
        Reachability verdict, int failures, Instant since, Optional<Instant> answered, Optional<ProbeFinding> last) {
    private static final int SUSPECT_AFTER = 3;
    private static final int DOWN_AFTER = 6;
    private static final Duration REGULAR = Duration.ofSeconds(10);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);
    private static final Duration IDLE = Duration.ofMinutes(2);
    private static final double JITTER = 0.2;

    /// Whether traffic depends on a gateway.
    public enum Usage {
        IN_USE,
        IDLE
    }

    /// Before the first probe.
    public static ProbeState unknown(Instant now) {
        return new ProbeState(Reachability.UNKNOWN, 0, now, Optional.empty(), Optional.empty());
    }

    /// What an earlier run of the program knew.
    public static ProbeState remembered(Reachability verdict, Instant since) {
        var failures = switch (verdict) {
            case REACHABLE, UNKNOWN -> 0;
            case SUSPECT -> SUSPECT_AFTER;
            case DOWN -> DOWN_AFTER;
        };
        return new ProbeState(verdict, failures, since, Optional.empty(), Optional.empty());
    }

    public ProbeState after(ProbeFinding finding, Instant now) {
        return switch (finding) {
            case ProbeFinding.Proven _ -> next(Reachability.REACHABLE, 0, now, Optional.of(now), finding);
            case ProbeFinding.Unproven _ -> next(Reachability.UNKNOWN, 0, now, answered, finding);
            case ProbeFinding.Failed _ -> {
                var count = Math.min(failures + 1, Integer.MAX_VALUE - 1);
                yield next(failed(count), count, now, answered, finding);
            }
        };
    }

    private Reachability failed(int count) {
        if (count >= DOWN_AFTER) {
            return Reachability.DOWN;
        }
        return count >= SUSPECT_AFTER ? Reachability.SUSPECT : verdict;
    }

    private ProbeState next(
            Reachability other, int count, Instant now, Optional<Instant> proven, ProbeFinding finding) {
        return new ProbeState(other, count, other == verdict ? since : now, proven, Optional.of(finding));
    }

    /// How long after the begin of the last probe the next one begins. Soon after a failure, until the verdict stands.
    ///
    /// @param dice from 0 to 1, so that not all are asked at once
    public Duration pause(Usage usage, double dice) {
        if (failures > 0 && verdict != Reachability.DOWN) {
            return AFTER_FAILURE;
        }
        var usual = usage == Usage.IN_USE ? REGULAR : IDLE;
        return Duration.ofMillis(Math.round(usual.toMillis() * (1 - JITTER + 2 * JITTER * dice)));
    }
}
