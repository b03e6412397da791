// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// An immutable hash map: a change makes a new map that shares all but one path of its tree with the old one.
///
/// Safe to read from any thread. Iteration order depends on the hashes only, not on history.
public final class PersistentMap<K, V> implements Iterable<Map.Entry<K, V>> {
    private static final PersistentMap<?, ?> EMPTY = new PersistentMap<>(TrieNode.EMPTY, 0);

    private final TrieNode root;
    private final int size;

    private PersistentMap(TrieNode root, int size) {
        this.root = root;
        this.size = size;
    }

    @SuppressWarnings("unchecked") // it holds nothing, so it fits every type
    public static <K, V> PersistentMap<K, V> empty() {
        return (PersistentMap<K, V>) EMPTY;
    }

    @SuppressWarnings("unchecked") // only values of type V were put in
    public @Nullable V get(K key) {
        return (V) root.find(key, TrieNode.spread(key), 0);
    }

    public Optional<V> find(K key) {
        return Optional.ofNullable(get(key));
    }

    public boolean containsKey(K key) {
        return get(key) != null;
    }

    /// This map with that row; the same map if it holds that very value already.
    public PersistentMap<K, V> with(K key, V value) {
        Objects.requireNonNull(value);
        var growth = new TrieNode.Growth();
        var next = root.with(key, value, TrieNode.spread(key), 0, growth);
        return next == root ? this : new PersistentMap<>(next, size + growth.rows);
    }

    /// This map without that row; the same map if there is none.
    public PersistentMap<K, V> without(K key) {
        var next = root.without(key, TrieNode.spread(key), 0);
        return next == root ? this : new PersistentMap<>(next, size - 1);
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    @SuppressWarnings("unchecked") // only rows of type K, V were put in
    public void forEach(BiConsumer<? super K, ? super V> action) {
        root.forEach((BiConsumer<Object, Object>) (BiConsumer<?, ?>) action);
    }

    @Override
    @SuppressWarnings("unchecked") // only rows of type K, V were put in
    public Iterator<Map.Entry<K, V>> iterator() {
        return (Iterator<Map.Entry<K, V>>) (Iterator<?>) new TrieIterator(root);
    }

    @Override
    @SuppressWarnings("unchecked") // keys are compared by equals, whatever their type
    public boolean equals(@Nullable Object other) {
        if (this == other) {
            return true;
        }
        if (!(other instanceof PersistentMap<?, ?> map) || map.size != size) {
            return false;
        }
        var that = (PersistentMap<Object, Object>) map;
        for (var row : this) {
            if (!row.getValue().equals(that.get(row.getKey()))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        var sum = 0;
        for (var row : this) {
            sum += row.hashCode();
        }
        return sum;
    }

    @Override
    public String toString() {
        var text = new StringBuilder("{");
        for (var row : this) {
            text.append(text.length() > 1 ? ", " : "")
                    .append(row.getKey())
                    .append('=')
                    .append(row.getValue());
        }
        return text.append('}').toString();
    }
}
