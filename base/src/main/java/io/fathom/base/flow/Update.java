// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

/// The changes of one update, which take effect together.
public final class Update {
    Update() {}

    public <K, V> void put(Source<K, V> source, K key, V value) {
        source.set(key, value);
    }

    public <K, V> void remove(Source<K, V> source, K key) {
        source.set(key, null);
    }
}
