// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import com.google.protobuf.ByteString;
import io.fathom.model.fleet.Blob;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// What a message says more than once, said once in front. For one message on one thread.
final class BlobDictionary {
    private final Map<Blob, Integer> positions = new HashMap<>();
    private final Consumer<ByteString> list;

    /// @param list gets each entry once
    BlobDictionary(Consumer<ByteString> list) {
        this.list = list;
    }

    int position(Blob blob) {
        var known = positions.putIfAbsent(blob, positions.size());
        if (known != null) {
            return known;
        }
        list.accept(ByteString.copyFrom(blob.bytes()));
        return positions.size() - 1;
    }

    static List<Blob> read(List<ByteString> entries) {
        return entries.stream().map(bytes -> Blob.copyOf(bytes.toByteArray())).toList();
    }

    /// @throws io.fathom.base.lang.ProblemException when there is no such entry
    static <T> T at(List<T> entries, int position) {
        if (position < 0 || position >= entries.size()) {
            throw FleetCodec.unreadable(new IllegalArgumentException("it refers to something that it does not have"));
        }
        return entries.get(position);
    }
}
