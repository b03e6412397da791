// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;

/// One connection of a client: whose it is, what goes on in it and since when. Written by the thread that serves it,
/// read and cut by the one that accepts.
final class HttpVisit {
    private static final long SECOND = 1_000_000_000L;

    /// What goes on in a connection, and how long it may.
    enum VisitPhase {
        /// The handshake, and a request that has begun.
        READING(5 * SECOND),
        /// Between two requests.
        IDLE(30 * SECOND),
        /// A profile of the program takes a minute.
        ANSWERING(600 * SECOND);

        private final long limit;

        VisitPhase(long limit) {
            this.limit = limit;
        }
    }

    private record Moment(VisitPhase phase, long since) {}

    private final String client;
    private final Closeable socket;
    private volatile Moment moment;

    /// @param client whoever that is: its address
    HttpVisit(String client, Closeable socket, long now) {
        this.client = client;
        this.socket = socket;
        this.moment = new Moment(VisitPhase.READING, now);
    }

    void enter(VisitPhase phase, long now) {
        moment = new Moment(phase, now);
    }

    boolean isAnswered() {
        return moment.phase == VisitPhase.ANSWERING;
    }

    boolean isOverdue(long now) {
        var seen = moment;
        return now - seen.since > seen.phase.limit;
    }

    /// Ends whatever its thread waits for.
    void cut() {
        try {
            socket.close();
        } catch (IOException e) {
            // it is gone
        }
    }

    /// Who has to go when there is no room: of the client with the most visits those that have waited longest
    /// without being answered. So nobody is pushed out by others who come in crowds, and who comes is served.
    /// Several of a crowd go at once, because this looks at all visits and is called for each new one.
    ///
    /// @param most how many; at least half of a crowd stays, and of a single visit it is that one
    static List<HttpVisit> toLeave(Collection<HttpVisit> visits, int most) {
        var crowds = new HashMap<String, List<Seen>>();
        List<Seen> largest = List.of();
        for (var visit : visits) {
            var crowd = crowds.computeIfAbsent(visit.client, _ -> new ArrayList<>());
            crowd.add(new Seen(visit, visit.moment));
            largest = crowd.size() > largest.size() ? crowd : largest;
        }
        return largest.stream()
                .sorted(Comparator.comparing((Seen seen) -> seen.moment.phase == VisitPhase.ANSWERING)
                        .thenComparingLong(seen -> seen.moment.since))
                .limit(Math.clamp(largest.size() / 2, 1, most))
                .map(Seen::visit)
                .toList();
    }

    /// A visit as it was when it was looked at.
    private record Seen(HttpVisit visit, Moment moment) {}
}
