// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes the audit log of a fleet and counts what is in it. Whoever floods us gets a few lines per second, and is
/// counted all the same. Any thread.
final class FleetEvents {
    private static final Logger log = LoggerFactory.getLogger("io.fathom.audit.fleet");
    private static final int MOST_CODES = 64;
    private static final int REFUSALS_PER_SECOND = 20;
    private static final int SHOWN_CHARACTERS = 256;

    private final InstantSource clock;
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private Instant second = Instant.EPOCH;
    private int written;

    FleetEvents(InstantSource clock) {
        this.clock = clock;
    }

    /// Something that was to be expected.
    void happened(String event, String cluster, String details) {
        count(event);
        log.atInfo()
                .addKeyValue("cluster", cluster)
                .addKeyValue("details", details)
                .log(event);
    }

    /// Something that was refused.
    void refused(String code, String cluster, String details) {
        count(code);
        if (mayWrite()) {
            log.atWarn()
                    .addKeyValue("cluster", shown(cluster))
                    .addKeyValue("details", shown(details))
                    .log(code);
        }
    }

    /// Something that somebody should look into.
    void alarm(String code, String cluster, String details) {
        count(code);
        log.atError()
                .addKeyValue("cluster", cluster)
                .addKeyValue("details", details)
                .log(code);
    }

    private synchronized boolean mayWrite() {
        var now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        if (!now.equals(second)) {
            second = now;
            written = 0;
        }
        return ++written <= REFUSALS_PER_SECOND;
    }

    /// What strangers send, on one line.
    private static String shown(String text) {
        var plain = text.replaceAll("\\p{Cntrl}", "?");
        return plain.length() <= SHOWN_CHARACTERS ? plain : plain.substring(0, SHOWN_CHARACTERS);
    }

    private void count(String code) {
        if (counts.size() < MOST_CODES || counts.containsKey(code)) {
            counts.computeIfAbsent(code, _ -> new LongAdder()).increment();
        }
    }

    /// How often each has happened.
    Map<String, Long> counts() {
        var sums = new TreeMap<String, Long>();
        counts.forEach((code, count) -> sums.put(code, count.sum()));
        return sums;
    }
}
