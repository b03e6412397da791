// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.model.fleet.ExportChange;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.OriginDigest;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.fleet.ServiceFactCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Tells the server what the cluster exports: at first what it does not know yet, then what changes. That endpoints
/// appear where there were none, or that none is left, is told at once; other numbers of endpoints after a second if
/// they differ by a quarter, else after half a minute. What waits is a set of services, so a server that is slow costs
/// nothing. For one thread.
final class ExportSender {
    private static final int FACTS_AT_ONCE = 2000;
    private static final int BYTES_AT_ONCE = 200_000;
    private static final int UNANSWERED = 8;
    private static final int MOST_TOMBSTONES = 100_000;
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration LATE = Duration.ofSeconds(30);
    private static final Duration DIGEST_EVERY = Duration.ofSeconds(60);

    /// @param path the one text for it in all tables
    private record Export(String path, ServiceFact fact, int ready) {}

    private record Said(Export export, long sequence, Instant time) {}

    private final Supplier<FactVersion> versions;
    private final Map<String, Long> dates;
    private final Map<String, Export> exports = new HashMap<>();
    private final Map<String, Said> said = new HashMap<>();
    private final Map<Integer, Integer> keys = new HashMap<>();
    private final LinkedHashMap<String, Long> gone = new LinkedHashMap<>();
    private final Set<String> due = new LinkedHashSet<>();
    private final Map<String, Instant> waiting = new LinkedHashMap<>();
    private OriginDigest digest = OriginDigest.none(0);
    private FactVersion last = FactVersion.NONE;
    private boolean datesChanged;
    private boolean known;
    private boolean snapshot;
    private boolean ended;
    private long unanswered;
    private Instant nextDigest = Instant.MAX;
    private FleetDown.@Nullable Welcome undecided;
    private @Nullable Consumer<FleetUp> server;

    /// @param versions the version of the next message
    /// @param dates since when services have been exported, in seconds since 1970
    ExportSender(Supplier<FactVersion> versions, Map<String, Long> dates) {
        this.versions = versions;
        this.dates = new HashMap<>(dates);
    }

    /// Since when services have been exported.
    Map<String, Long> dates() {
        return Map.copyOf(dates);
    }

    /// Whether these are different since this was asked last.
    boolean takeDatesChanged() {
        var was = datesChanged;
        datesChanged = false;
        return was;
    }

    int count() {
        return exports.size();
    }

    void changed(ExportChange change, Instant now) {
        switch (change) {
            case ExportChange.All(var services) -> {
                var all = new HashMap<String, ServiceSummary>();
                services.forEach(service -> all.put(service.path(), service));
                List.copyOf(exports.keySet()).stream()
                        .filter(path -> !all.containsKey(path))
                        .forEach(path -> remove(path, now));
                all.values().forEach(service -> put(service, now));
                known = true;
                decide();
            }
            case ExportChange.Delta(var changed, var removed) -> {
                removed.forEach(path -> remove(path, now));
                changed.forEach(service -> put(service, now));
            }
        }
        flush(now);
    }

    private void put(ServiceSummary service, Instant now) {
        var path = known(service.path());
        var date = dates.computeIfAbsent(path, _ -> {
            datesChanged = true;
            return now.getEpochSecond();
        });
        var export = new Export(path, ServiceFactCodec.fact(service, date), service.ready());
        if (exports.put(path, export) == null) {
            keys.merge(ServiceFact.key(path), 1, Integer::sum);
        }
        compare(path, now);
    }

    private String known(String path) {
        var export = exports.get(path);
        return export == null ? path : export.path();
    }

    private void remove(String path, Instant now) {
        if (exports.remove(path) != null) {
            dates.remove(path);
            datesChanged = true;
            keys.computeIfPresent(ServiceFact.key(path), (_, count) -> count == 1 ? null : count - 1);
            compare(path, now);
        }
    }

    /// Sees whether the server is to hear of a service, and when.
    private void compare(String path, Instant now) {
        var export = exports.get(path);
        var before = said.get(path);
        if (export == null || before == null) {
            waiting.remove(path);
            if (export != null || before != null) {
                due.add(path);
            }
            return;
        }
        if (export.fact().says(before.export().fact())) {
            waiting.remove(path);
            if (!snapshot) {
                due.remove(path);
            }
        } else if (!export.fact().body().equals(before.export().fact().body())
                || export.ready() == 0
                || before.export().ready() == 0) {
            waiting.remove(path);
            due.add(path);
        } else if (!due.contains(path)) {
            waiting.putIfAbsent(path, now);
        }
    }

    /// A stream begins.
    void connected(FleetDown.Welcome welcome, Consumer<FleetUp> out, Instant now) {
        server = out;
        unanswered = 0;
        ended = false;
        snapshot = false;
        nextDigest = now.plus(DIGEST_EVERY);
        undecided = welcome;
        decide();
        flush(now);
    }

    /// A stream has ended.
    void disconnected() {
        server = null;
        undecided = null;
    }

    /// What the server has to be told again, when both sides are known.
    private void decide() {
        var welcome = undecided;
        if (!known || welcome == null) {
            return;
        }
        undecided = null;
        if (isSame(digest, welcome.exports())) {
            return;
        }
        var at = welcome.exportsAt();
        if (at.incarnation() == last.incarnation() && at.sequence() <= last.sequence() && !said.isEmpty()) {
            said.forEach((path, one) -> {
                if (one.sequence() > at.sequence()) {
                    due.add(path);
                }
            });
            gone.forEach((path, sequence) -> {
                if (sequence > at.sequence()) {
                    due.add(path);
                }
            });
            List.copyOf(due).forEach(this::unsay);
            return;
        }
        var all = exports.values().stream()
                .map(export -> export.fact().hash64())
                .reduce(OriginDigest.none(0), OriginDigest::plus, (one, _) -> one);
        if (said.isEmpty() && isSame(all, welcome.exports())) { // we have been started again, nothing has changed
            exports.forEach((path, export) -> said.put(path, new Said(export, at.sequence(), Instant.EPOCH)));
            digest = all;
            due.clear();
            waiting.clear();
            return;
        }
        resend();
    }

    private static boolean isSame(OriginDigest one, OriginDigest other) {
        return one.count() == other.count() && one.sum() == other.sum();
    }

    private void unsay(String path) {
        var before = said.remove(path);
        if (before != null) {
            digest = digest.minus(before.export().fact().hash64());
        }
    }

    /// Tells everything again.
    void resend() {
        snapshot = true;
        ended = false;
        said.clear();
        gone.clear();
        waiting.clear();
        due.clear();
        due.addAll(exports.keySet());
        digest = OriginDigest.none(0);
    }

    /// The server has taken what it was told up to that version.
    void answered(FactVersion version, Instant now) {
        unanswered = Math.max(0, Math.min(unanswered, last.sequence() - version.sequence()));
        flush(now);
    }

    /// Sees to what has waited long enough.
    void tick(Instant now) {
        for (var one : List.copyOf(waiting.entrySet())) {
            var export = exports.get(one.getKey());
            var before = said.get(one.getKey());
            if (export == null || before == null) {
                waiting.remove(one.getKey());
                continue;
            }
            var isMuch = 4 * Math.abs(export.ready() - before.export().ready())
                    >= before.export().ready();
            var since = isMuch ? before.time().plus(SOON) : one.getValue().plus(LATE);
            if (!now.isBefore(since)) {
                waiting.remove(one.getKey());
                due.add(one.getKey());
            }
        }
        flush(now);
    }

    private void flush(Instant now) {
        var out = server;
        if (out == null || !known || undecided != null) {
            return;
        }
        while (!due.isEmpty() && unanswered < UNANSWERED) {
            send(out, now);
        }
        if (due.isEmpty() && !ended) {
            ended = true;
            snapshot = false;
            say(out, new FleetUp.ExportsEnd(next()));
        }
        if (due.isEmpty() && unanswered == 0 && !now.isBefore(nextDigest)) {
            nextDigest = now.plus(DIGEST_EVERY);
            out.accept(new FleetUp.Digest(digest));
        }
    }

    private FactVersion next() {
        last = versions.get();
        return last;
    }

    private void say(Consumer<FleetUp> out, FleetUp message) {
        unanswered++;
        out.accept(message);
    }

    private void send(Consumer<FleetUp> out, Instant now) {
        var facts = new ArrayList<Export>();
        var removed = new ArrayList<String>();
        var weights = new ArrayList<Export>();
        var bytes = 0;
        for (var next = due.iterator();
                next.hasNext() && bytes < BYTES_AT_ONCE && facts.size() + weights.size() < FACTS_AT_ONCE; ) {
            var path = next.next();
            next.remove();
            var export = exports.get(path);
            bytes += path.length() + 32;
            if (export == null) {
                removed.add(path);
            } else if (isWeight(path, export)) {
                weights.add(export);
            } else {
                facts.add(export);
            }
        }
        if (!facts.isEmpty() || !removed.isEmpty()) {
            var version = next();
            removed.forEach(path -> bury(path, version.sequence()));
            facts.forEach(export -> remember(export, version.sequence(), now));
            say(
                    out,
                    new FleetUp.Services(
                            facts.stream().map(Export::fact).toList(),
                            removed,
                            snapshot ? FleetUp.ServicePart.SNAPSHOT : FleetUp.ServicePart.DELTA,
                            version));
        }
        if (!weights.isEmpty()) {
            var version = next();
            weights.forEach(export -> remember(export, version.sequence(), now));
            say(
                    out,
                    new FleetUp.Weights(
                            weights.stream()
                                    .map(export -> new FleetUp.ServiceWeight(
                                            ServiceFact.key(export.path()),
                                            export.fact().spread()))
                                    .toList(),
                            version));
        }
    }

    /// Whether the server knows the service but for the numbers of its endpoints, and by a key of its own.
    private boolean isWeight(String path, Export export) {
        var before = said.get(path);
        return before != null
                && before.export().fact().body().equals(export.fact().body())
                && keys.getOrDefault(ServiceFact.key(path), 0) == 1;
    }

    private void remember(Export export, long sequence, Instant now) {
        var path = export.path();
        unsay(path);
        gone.remove(path);
        said.put(path, new Said(export, sequence, now));
        digest = digest.plus(export.fact().hash64());
    }

    private void bury(String path, long sequence) {
        unsay(path);
        gone.put(path, sequence);
        while (gone.size() > MOST_TOMBSTONES) {
            gone.pollFirstEntry();
        }
    }
}
