// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A small mutable hash set: one array, open addressing. About a quarter of the memory of [java.util.HashSet].
/// Used by one thread.
final class CompactSet<E> {
    private @Nullable Object[] places = new Object[2];
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void add(E element) {
        if (4 * (size + 1) > 3 * places.length) {
            resize(2 * places.length);
        }
        var at = position(element);
        if (places[at] == null) {
            places[at] = element;
            size++;
        }
    }

    void remove(E element) {
        var at = position(element);
        if (places[at] == null) {
            return;
        }
        size--;
        if (places.length > 8 && 8 * size < places.length) {
            places[at] = null;
            resize(places.length / 2);
        } else {
            closeGap(at);
        }
    }

    boolean contains(E element) {
        return places[position(element)] != null;
    }

    @SuppressWarnings("unchecked") // only elements of type E were put in
    void forEach(Consumer<? super E> action) {
        for (var place : places) {
            if (place != null) {
                action.accept((E) place);
            }
        }
    }

    List<E> toList() {
        var list = new ArrayList<E>(size);
        forEach(list::add);
        return list;
    }

    private int position(Object element) {
        var mask = places.length - 1;
        var at = home(element);
        for (var place = places[at]; place != null && !place.equals(element); place = places[at]) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private int home(Object element) {
        return TrieNode.spread(element) & (places.length - 1);
    }

    /// Moves later elements of the run back, so that a search never ends too early.
    private void closeGap(int gap) {
        var mask = places.length - 1;
        var at = gap;
        while (true) {
            places[gap] = null;
            Object place;
            do {
                at = (at + 1) & mask;
                place = places[at];
                if (place == null) {
                    return;
                }
            } while (((at - home(place)) & mask) < ((at - gap) & mask));
            places[gap] = place;
            gap = at;
        }
    }

    private void resize(int length) {
        var old = places;
        places = new Object[length];
        for (var place : old) {
            if (place != null) {
                places[position(place)] = place;
            }
        }
    }
}
