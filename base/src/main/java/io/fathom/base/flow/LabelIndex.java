// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The objects of a table by label, one list per scope, label and value: finding what a selector selects costs its
/// rarest label. Several selections can share it. Used by the flow's writer only.
public final class LabelIndex<S, K, V> extends Stage {
    private record Label(String key, String value) {}

    private final Table<K, V> input;
    private final Function<V, Labels<S>> labels;
    private final Map<S, Map<Label, CompactSet<K>>> postings = new HashMap<>();
    private Set<K> relabelled = new HashSet<>();

    LabelIndex(String name, int order, Table<K, V> input, Function<V, Labels<S>> labels) {
        super(name, order);
        this.input = input;
        this.labels = labels;
    }

    /// The objects that came, went or changed their labels during this update.
    Set<K> relabelled() {
        return relabelled;
    }

    @Nullable
    Labels<S> labels(K key) {
        var value = input.rows().get(key);
        return value == null ? null : labels.apply(value);
    }

    /// Names the objects that the selector selects, perhaps some more; an object may come twice.
    void forEachCandidate(Selector<S> selector, Consumer<? super K> action) {
        if (selector.labels().isEmpty()) {
            return;
        }
        var scope = selector.scope();
        if (scope.isPresent()) {
            forEachCandidate(postings.get(scope.get()), selector.labels(), action);
        } else {
            postings.values().forEach(lists -> forEachCandidate(lists, selector.labels(), action));
        }
    }

    private void forEachCandidate(
            @Nullable Map<Label, CompactSet<K>> lists, Map<String, String> wanted, Consumer<? super K> action) {
        if (lists == null) {
            return;
        }
        var found = new ArrayList<CompactSet<K>>();
        for (var label : wanted.entrySet()) {
            var list = lists.get(new Label(label.getKey(), label.getValue()));
            if (list == null) {
                return;
            }
            found.add(list);
        }
        found.sort(Comparator.comparingInt(CompactSet::size));
        List<CompactSet<K>> others = found.subList(1, found.size());
        found.getFirst().forEach(key -> {
            if (others.stream().allMatch(list -> list.contains(key))) {
                action.accept(key);
            }
        });
    }

    @Override
    void settle() {
        for (var key : input.touched()) {
            var before = input.before(key);
            var after = input.rows().get(key);
            var old = before == null ? null : labels.apply(before);
            var now = after == null ? null : labels.apply(after);
            if (old == null ? now == null : old.equals(now)) {
                continue;
            }
            relabelled.add(key);
            if (old != null) {
                remove(key, old);
            }
            if (now != null) {
                add(key, now);
            }
        }
    }

    private void add(K key, Labels<S> object) {
        var lists = postings.computeIfAbsent(object.scope(), _ -> new HashMap<>());
        object.labels()
                .forEach((label, value) -> lists.computeIfAbsent(new Label(label, value), _ -> new CompactSet<>())
                        .add(key));
    }

    private void remove(K key, Labels<S> object) {
        var lists = postings.get(object.scope());
        if (lists == null) {
            return;
        }
        object.labels().forEach((label, value) -> {
            var posting = new Label(label, value);
            var list = lists.get(posting);
            if (list != null) {
                list.remove(key);
                if (list.isEmpty()) {
                    lists.remove(posting);
                }
            }
        });
        if (lists.isEmpty()) {
            postings.remove(object.scope());
        }
    }

    @Override
    void endUpdate() {
        if (!relabelled.isEmpty()) {
            relabelled = new HashSet<>(); // see Table
        }
    }
}
