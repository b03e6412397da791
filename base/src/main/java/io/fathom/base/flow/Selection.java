// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// For each labelled object the selectors that select it, sorted by their key; no row when there are none.
///
/// Cost follows the matches: a changed selector finds its objects through the [LabelIndex], a changed object finds its
/// selectors by label, each selector being filed under the one of its labels that has the fewest.
final class Selection<S, K, V, SK extends Comparable<? super SK>, SV> extends Table<K, List<SV>> {
    /// Where a selector is filed; scope null means every scope.
    private record Anchor<S>(@Nullable S scope, String label, String value) {}

    private final LabelIndex<S, K, V> objects;
    private final Table<SK, SV> selectors;
    private final Function<SV, Optional<Selector<S>>> selectorOf;
    private final Map<Anchor<S>, CompactSet<SK>> filed = new HashMap<>();
    private final Map<SK, Anchor<S>> anchors = new HashMap<>();

    Selection(
            String name,
            int order,
            LabelIndex<S, K, V> objects,
            Table<SK, SV> selectors,
            Function<SV, Optional<Selector<S>>> selectorOf) {
        super(name, order);
        this.objects = objects;
        this.selectors = selectors;
        this.selectorOf = selectorOf;
    }

    @Override
    void settle() {
        var stale = new HashSet<>(objects.relabelled());
        for (var key : selectors.touched()) {
            var before = selector(selectors.before(key));
            var after = selector(selectors.rows().get(key));
            if (before != null) {
                unfile(key);
                objects.forEachCandidate(before, stale::add);
            }
            if (after != null) {
                file(key, after);
                objects.forEachCandidate(after, stale::add);
            }
        }
        for (var key : stale) {
            set(key, matches(key));
        }
    }

    private @Nullable Selector<S> selector(@Nullable SV value) {
        return value == null
                ? null
                : selectorOf
                        .apply(value)
                        .filter(selector -> !selector.labels().isEmpty())
                        .orElse(null);
    }

    private @Nullable List<SV> matches(K key) {
        var labels = objects.labels(key);
        if (labels == null) {
            return null;
        }
        var found = new TreeMap<SK, SV>();
        labels.labels().forEach((label, value) -> {
            collect(new Anchor<>(labels.scope(), label, value), labels, found);
            collect(new Anchor<>(null, label, value), labels, found);
        });
        return found.isEmpty() ? null : List.copyOf(found.values());
    }

    private void collect(Anchor<S> anchor, Labels<S> labels, Map<SK, SV> found) {
        var candidates = filed.get(anchor);
        if (candidates == null) {
            return;
        }
        Consumer<SK> check = candidate -> {
            var value = Objects.requireNonNull(selectors.rows().get(candidate));
            var selector = selector(value);
            if (selector != null && selector.matches(labels)) {
                found.put(candidate, value);
            }
        };
        candidates.forEach(check);
    }

    private void file(SK key, Selector<S> selector) {
        var scope = selector.scope().orElse(null);
        Anchor<S> best = null;
        var fewest = Integer.MAX_VALUE;
        for (var label : selector.labels().entrySet()) {
            var anchor = new Anchor<>(scope, label.getKey(), label.getValue());
            var list = filed.get(anchor);
            var size = list == null ? 0 : list.size();
            if (size < fewest) {
                best = anchor;
                fewest = size;
            }
        }
        if (best != null) {
            filed.computeIfAbsent(best, _ -> new CompactSet<>()).add(key);
            anchors.put(key, best);
        }
    }

    private void unfile(SK key) {
        var anchor = anchors.remove(key);
        var list = anchor == null ? null : filed.get(anchor);
        if (list != null) {
            list.remove(key);
            if (list.isEmpty()) {
                filed.remove(anchor);
            }
        }
    }
}
