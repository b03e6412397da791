// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.reach.ProbeState;
import io.fathom.model.peering.Reachability;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps what is known to be suspect or down in a small text, so that a restart does not send everybody there again.
/// One line for each: verdict, since when, and which one. What cannot be read counts as unknown. One thread at a time.
public final class ReachMemory {
    private static final Logger log = LoggerFactory.getLogger(ReachMemory.class);

    private final VerdictStore store;
    private String kept = "";

    public ReachMemory(VerdictStore store) {
        this.store = store;
    }

    Map<String, ProbeState> read() {
        var found = new TreeMap<String, ProbeState>();
        try {
            kept = store.read();
            kept.lines().forEach(line -> read(line, found));
        } catch (IOException | ProblemException e) {
            log.atWarn().setCause(e).log("verdicts on gateways cannot be read");
        }
        return found;
    }

    private static void read(String line, Map<String, ProbeState> found) {
        var words = line.split(" ", 3);
        try {
            if (words.length == 3) {
                found.put(words[2], ProbeState.remembered(Reachability.valueOf(words[0]), Instant.parse(words[1])));
            }
        } catch (IllegalArgumentException | DateTimeException _) {
            // somebody else's line
        }
    }

    /// Replaced as a whole; not touched while nothing changes.
    void write(Map<String, ProbeState> states) {
        var text = new StringBuilder();
        new TreeMap<>(states).forEach((key, state) -> {
            if (state.verdict().compareTo(Reachability.SUSPECT) >= 0) {
                text.append(state.verdict())
                        .append(' ')
                        .append(state.since())
                        .append(' ')
                        .append(key)
                        .append('\n');
            }
        });
        if (text.toString().equals(kept)) {
            return;
        }
        try {
            store.write(text.toString());
            kept = text.toString();
        } catch (IOException | ProblemException e) {
            log.atWarn().setCause(e).log("verdicts on gateways cannot be kept");
        }
    }
}
