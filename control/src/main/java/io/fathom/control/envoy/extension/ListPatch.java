// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// Applies a patch to the items of a list: filters, chains, virtual hosts, routes.
final class ListPatch {
    /// Where an item goes that is added without an anchor.
    enum End {
        /// After all others.
        LAST,
        /// Before the last one, which must stay the last: it sends requests or connections on.
        BEFORE_LAST
    }

    private ListPatch() {}

    /// @param anchor which items are meant; empty text in a match is any item
    /// @param anchored whether the match names an item at all
    static <T extends Message> List<T> apply(
            Class<T> type, List<T> items, CompiledPatch patch, Predicate<T> anchor, Anchored anchored, End end) {
        var value = patch.value().map(type::cast);
        var result = new ArrayList<>(items);
        var last = end == End.LAST || items.isEmpty() ? items.size() : items.size() - 1;
        var first = indexOf(items, anchor);
        switch (patch.operation()) {
            case ADD -> result.add(last, value.orElseThrow());
            case INSERT_FIRST -> result.addFirst(value.orElseThrow());
            case INSERT_BEFORE -> {
                if (anchored == Anchored.NOT) {
                    result.addFirst(value.orElseThrow());
                } else if (first >= 0) {
                    result.add(first, value.orElseThrow());
                }
            }
            case INSERT_AFTER -> {
                if (anchored == Anchored.NOT) {
                    result.add(last, value.orElseThrow());
                } else if (first >= 0) {
                    result.add(Math.min(first + 1, Math.max(last, first)), value.orElseThrow());
                }
            }
            case REMOVE -> result.removeIf(anchor);
            case MERGE -> result.replaceAll(item -> anchor.test(item) ? merged(item, patch) : item);
            case REPLACE -> result.replaceAll(item -> anchor.test(item) ? value.orElseThrow() : item);
            case MERGE_AND_REPLACE_LIST -> {}
        }
        return result;
    }

    enum Anchored {
        BY_NAME,
        NOT;

        static Anchored by(String... names) {
            return String.join("", names).isEmpty() ? NOT : BY_NAME;
        }
    }

    private static <T extends Message> T merged(T item, CompiledPatch patch) {
        return DeepMerge.merge(item, patch.value().orElseThrow());
    }

    private static <T> int indexOf(List<T> items, Predicate<T> anchor) {
        for (var i = 0; i < items.size(); i++) {
            if (anchor.test(items.get(i))) {
                return i;
            }
        }
        return -1;
    }
}
