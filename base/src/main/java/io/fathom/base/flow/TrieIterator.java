// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;

/// Walks the rows of a trie, depth first. Used by one thread.
final class TrieIterator implements Iterator<Map.Entry<Object, Object>> {
    private record Pending(TrieNode node, int shift) {}

    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    private TrieNode node = TrieNode.EMPTY;
    private int at;
    private int span;

    TrieIterator(TrieNode root) {
        pending.push(new Pending(root, 0));
        advance();
    }

    private void advance() {
        while (at >= span && !pending.isEmpty()) {
            var next = pending.pop();
            node = next.node();
            at = 0;
            span = node.rowSpan(next.shift());
            for (int i = node.content.length - 1; i >= span; i--) {
                pending.push(new Pending((TrieNode) node.content[i], next.shift() + 5));
            }
        }
    }

    @Override
    public boolean hasNext() {
        return at < span;
    }

    @Override
    public Map.Entry<Object, Object> next() {
        if (at >= span) {
            throw new NoSuchElementException();
        }
        var row = Map.entry(node.content[at], node.content[at + 1]);
        at += 2;
        advance();
        return row;
    }
}
