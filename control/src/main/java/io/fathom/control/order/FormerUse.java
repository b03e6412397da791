// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.order;

import io.fathom.base.lang.Timeline;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/// What waypoints serve although it has left them, until node proxies have acknowledged that they do not send it there
/// any more, and a moment longer. Guarded by its owner.
final class FormerUse {
    private final Proxies proxies;
    private final Timeline timeline;
    private final Patience patience;
    private final OrderObserver observer;
    /// What node proxies have not been told yet, or only just.
    private final Map<String, Long> turns = new HashMap<>();

    private final Set<ObjectKey> departing = new HashSet<>();
    private final Set<ObjectKey> begun = new HashSet<>();

    FormerUse(Proxies proxies, Timeline timeline, Patience patience, OrderObserver observer) {
        this.proxies = proxies;
        this.timeline = timeline;
        this.patience = patience;
        this.observer = observer;
    }

    /// @param gone all waypoints that are no more and still serve
    void add(Map<String, Long> more, Set<ObjectKey> gone) {
        turns.putAll(more);
        begun.retainAll(gone);
        gone.stream().filter(waypoint -> !begun.contains(waypoint)).forEach(departing::add);
    }

    /// Node proxies have been told of all but what is held back.
    void begin(Set<String> held) {
        var leaving = new HashMap<>(turns);
        leaving.keySet().removeAll(held);
        if (leaving.isEmpty() && departing.isEmpty()) {
            return;
        }
        turns.keySet().removeAll(leaving.keySet());
        var waypoints = Set.copyOf(departing);
        begun.addAll(waypoints);
        departing.clear();
        var over = new AtomicBoolean();
        var known = new AtomicBoolean();
        Runnable end = () -> {
            if (!over.getAndSet(true)) {
                proxies.forget(leaving);
                proxies.dismiss(waypoints);
            }
        };
        var wait = proxies.whenNodeProxiesKnow(() -> {
            known.set(true);
            var _ = timeline.at(timeline.instant().plus(patience.drain()), end);
        });
        var _ = timeline.at(timeline.instant().plus(patience.answer()), () -> {
            if (!known.get()) {
                wait.close();
                observer.nodeProxiesLate();
                end.run();
            }
        });
    }
}
