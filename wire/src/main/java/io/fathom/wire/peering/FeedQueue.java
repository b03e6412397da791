// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import io.fathom.model.peering.FeedUp;
import io.fathom.model.peering.ResourceDelta;
import io.fathom.wire.peering.OriginBook.HeldOrigin;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What one control plane has not been told yet: names only, however often what they name has changed. Guarded by the
/// book.
final class FeedQueue implements AutoCloseable {
    private static final int ROWS = 500;

    private final OriginBook book;
    private final Runnable wake;
    private final Map<String, Due> due = new LinkedHashMap<>();
    private final Set<String> forgotten = new LinkedHashSet<>();
    private boolean ages;
    private boolean settles;

    /// What is due of one cluster.
    private static final class Due {
        private boolean about;
        private final Set<String> services = new LinkedHashSet<>();
        private final Set<String> endpoints = new LinkedHashSet<>();
        private boolean begins;
        private boolean ends;
    }

    FeedQueue(OriginBook book, Runnable wake) {
        this.book = book;
        this.wake = wake;
    }

    void wake() {
        wake.run();
    }

    void about(String cluster) {
        due(cluster).about = true;
    }

    void service(String cluster, String path) {
        due(cluster).services.add(path);
    }

    void endpoints(String cluster, String path) {
        due(cluster).endpoints.add(path);
    }

    /// All of it, as long as it is known to be all.
    void whole(String cluster, HeldOrigin held) {
        var all = due(cluster);
        all.about = held.about().isPresent();
        all.services.addAll(held.services().keySet());
        all.endpoints.addAll(held.endpoints().keySet());
        all.begins = held.isComplete();
        all.ends = held.isComplete();
    }

    void forget(String cluster) {
        due.remove(cluster);
        forgotten.add(cluster);
    }

    void freshness() {
        ages = true;
    }

    void settle() {
        settles = true;
    }

    private Due due(String cluster) {
        forgotten.remove(cluster);
        return due.computeIfAbsent(cluster, _ -> new Due());
    }

    /// The next message; nothing when everything has been said.
    Optional<FeedUp> next() {
        synchronized (book) {
            if (!forgotten.isEmpty()) {
                return Optional.of(new FeedUp.Forget(take(forgotten, 1).getFirst()));
            }
            var first = due.entrySet().iterator();
            if (first.hasNext()) {
                var entry = first.next();
                var message = origin(entry.getKey(), entry.getValue());
                if (entry.getValue().services.isEmpty()
                        && entry.getValue().endpoints.isEmpty()) {
                    due.remove(entry.getKey());
                }
                return Optional.of(message);
            }
            if (settles) {
                settles = false;
                return Optional.of(new FeedUp.Settled());
            }
            if (ages) {
                ages = false;
                return Optional.of(book.ages());
            }
            return Optional.empty();
        }
    }

    private FeedUp origin(String cluster, Due all) {
        var held = book.origin(cluster).orElseGet(HeldOrigin::new);
        var services = delta(take(all.services, ROWS), held.services());
        var endpoints = delta(take(all.endpoints, Math.max(1, ROWS - services.size())), held.endpoints());
        var isLast = all.services.isEmpty() && all.endpoints.isEmpty();
        var message = new FeedUp.Origin(
                cluster,
                all.about ? held.about() : Optional.empty(),
                services,
                endpoints,
                FeedUp.OriginPart.of(all.begins, all.ends && isLast));
        all.about = false;
        all.begins = false;
        return message;
    }

    private static <T> ResourceDelta<T> delta(List<String> paths, Map<String, T> held) {
        var changed = new ArrayList<T>();
        var gone = new ArrayList<String>();
        for (var path : paths) {
            var value = held.get(path);
            if (value == null) {
                gone.add(path);
            } else {
                changed.add(value);
            }
        }
        return new ResourceDelta<>(changed, gone);
    }

    private static List<String> take(Set<String> names, int most) {
        var taken = names.stream().limit(most).toList();
        taken.forEach(names::remove);
        return taken;
    }

    @Override
    public void close() {
        book.close(this);
    }
}
