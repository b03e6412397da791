// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// A node of a [PersistentMap]: five bits of the hash choose one of 32 places. A place holds a row (`rows` has its
/// bit) or a deeper node (`nodes` has it). Rows stand at the front of `content` as key and value, nodes at its end in
/// reverse. Past the last bits of the hash a node is a plain list of rows whose hashes are all equal.
final class TrieNode {
    static final TrieNode EMPTY = new TrieNode(0, 0, new Object[0]);
    private static final int BITS = 5;
    private static final int LAST_SHIFT = 30;

    private final int rows;
    private final int nodes;
    final Object[] content;

    /// Tells whether a change added a row.
    static final class Growth {
        int rows;
    }

    private TrieNode(int rows, int nodes, Object[] content) {
        this.rows = rows;
        this.nodes = nodes;
        this.content = content;
    }

    static int spread(Object key) {
        var hash = key.hashCode() * 0x9E3779B9;
        return hash ^ (hash >>> 15);
    }

    /// How many elements of `content` are keys and values.
    int rowSpan(int shift) {
        return shift > LAST_SHIFT ? content.length : 2 * Integer.bitCount(rows);
    }

    @Nullable
    Object find(Object key, int hash, int shift) {
        if (shift > LAST_SHIFT) {
            var at = listPosition(key);
            return at < 0 ? null : content[at + 1];
        }
        var bit = bit(hash, shift);
        if ((rows & bit) != 0) {
            var at = rowPosition(bit);
            return content[at].equals(key) ? content[at + 1] : null;
        }
        return (nodes & bit) == 0 ? null : node(bit).find(key, hash, shift + BITS);
    }

    @SuppressWarnings(
            "ReferenceEquality") // only the very same value may keep the old node: equal ones are the caller's concern
    TrieNode with(Object key, Object value, int hash, int shift, Growth growth) {
        if (shift > LAST_SHIFT) {
            var at = listPosition(key);
            if (at >= 0) {
                return content[at + 1] == value ? this : replaced(at + 1, value);
            }
            growth.rows = 1;
            return new TrieNode(0, 0, inserted(content, content.length, key, value));
        }
        var bit = bit(hash, shift);
        if ((nodes & bit) != 0) {
            var child = node(bit);
            var next = child.with(key, value, hash, shift + BITS, growth);
            return next == child ? this : replaced(nodePosition(bit), next);
        }
        if ((rows & bit) == 0) {
            growth.rows = 1;
            return new TrieNode(rows | bit, nodes, inserted(content, rowPosition(bit), key, value));
        }
        var at = rowPosition(bit);
        if (content[at].equals(key)) {
            return content[at + 1] == value ? this : replaced(at + 1, value);
        }
        growth.rows = 1;
        var child = EMPTY.with(content[at], content[at + 1], spread(content[at]), shift + BITS, new Growth())
                .with(key, value, hash, shift + BITS, new Growth());
        return rowBecomesNode(bit, at, child);
    }

    TrieNode without(Object key, int hash, int shift) {
        if (shift > LAST_SHIFT) {
            var at = listPosition(key);
            return at < 0 ? this : new TrieNode(0, 0, removed(content, at, 2));
        }
        var bit = bit(hash, shift);
        if ((rows & bit) != 0) {
            var at = rowPosition(bit);
            return content[at].equals(key) ? new TrieNode(rows ^ bit, nodes, removed(content, at, 2)) : this;
        }
        if ((nodes & bit) == 0) {
            return this;
        }
        var child = node(bit);
        var next = child.without(key, hash, shift + BITS);
        if (next == child) {
            return this;
        }
        // A node never holds a single row below the root: the shape depends on the rows only.
        return next.nodes == 0 && next.content.length == 2
                ? nodeBecomesRow(bit, next)
                : replaced(nodePosition(bit), next);
    }

    void forEach(BiConsumer<Object, Object> action) {
        forEach(action, 0);
    }

    private void forEach(BiConsumer<Object, Object> action, int shift) {
        var span = rowSpan(shift);
        for (int i = 0; i < span; i += 2) {
            action.accept(content[i], content[i + 1]);
        }
        for (int i = span; i < content.length; i++) {
            ((TrieNode) content[i]).forEach(action, shift + BITS);
        }
    }

    private TrieNode rowBecomesNode(int bit, int at, TrieNode child) {
        var without = removed(content, at, 2);
        var next = new Object[without.length + 1];
        var nodeAt = next.length - 1 - Integer.bitCount(nodes & (bit - 1));
        System.arraycopy(without, 0, next, 0, nodeAt);
        next[nodeAt] = child;
        System.arraycopy(without, nodeAt, next, nodeAt + 1, without.length - nodeAt);
        return new TrieNode(rows ^ bit, nodes | bit, next);
    }

    private TrieNode nodeBecomesRow(int bit, TrieNode child) {
        var without = removed(content, nodePosition(bit), 1);
        return new TrieNode(
                rows | bit, nodes ^ bit, inserted(without, rowPosition(bit), child.content[0], child.content[1]));
    }

    private TrieNode replaced(int at, Object value) {
        var next = content.clone();
        next[at] = value;
        return new TrieNode(rows, nodes, next);
    }

    private static Object[] inserted(Object[] content, int at, Object key, Object value) {
        var next = new Object[content.length + 2];
        System.arraycopy(content, 0, next, 0, at);
        next[at] = key;
        next[at + 1] = value;
        System.arraycopy(content, at, next, at + 2, content.length - at);
        return next;
    }

    private static Object[] removed(Object[] content, int at, int count) {
        var next = new Object[content.length - count];
        System.arraycopy(content, 0, next, 0, at);
        System.arraycopy(content, at + count, next, at, next.length - at);
        return next;
    }

    private int listPosition(Object key) {
        for (int i = 0; i < content.length; i += 2) {
            if (content[i].equals(key)) {
                return i;
            }
        }
        return -1;
    }

    private static int bit(int hash, int shift) {
        return 1 << ((hash >>> shift) & 31);
    }

    private int rowPosition(int bit) {
        return 2 * Integer.bitCount(rows & (bit - 1));
    }

    private int nodePosition(int bit) {
        return content.length - 1 - Integer.bitCount(nodes & (bit - 1));
    }

    private TrieNode node(int bit) {
        return (TrieNode) content[nodePosition(bit)];
    }
}
