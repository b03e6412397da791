// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

/// A table that is written from outside, inside [Flow#update].
public final class Source<K, V> extends Table<K, V> {
    Source(String name, int order) {
        super(name, order);
    }

    @Override
    void settle() {}
}
