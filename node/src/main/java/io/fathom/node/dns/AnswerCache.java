// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.wire.dns.DnsQuery;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Optional;

/// What name servers have answered, for as long as they allow but not longer than [#LONGEST]. Takes up to [#CAPACITY]
/// bytes; what was not asked for longest goes first. For one thread.
final class AnswerCache {
    static final int CAPACITY = 256 * 1024;
    private static final int OVERHEAD = 200;
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private final LinkedHashMap<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private int size;

    /// Everything of a query but its id, so that answers to other options are never mixed up.
    private record Key(ByteBuffer query, Transport transport) {
        static Key of(DnsQuery query, Transport transport) {
            var bytes = Arrays.copyOfRange(query.bytes(), 2, query.bytes().length);
            for (int i = DnsQuery.HEADER - 2; i < query.questionEnd() - 2 - 4; i++) {
                bytes[i] = (byte) (bytes[i] >= 'A' && bytes[i] <= 'Z' ? bytes[i] + 32 : bytes[i]);
            }
            return new Key(ByteBuffer.wrap(bytes), transport);
        }
    }

    private record Entry(CachedAnswer answer, Instant since, Instant until) {}

    /// As if it had just come from the server, with the time it lay here taken off.
    Optional<byte[]> find(DnsQuery query, Transport transport, Instant now) {
        if (query.question().isEmpty()) {
            return Optional.empty();
        }
        var key = Key.of(query, transport);
        var entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        if (!now.isBefore(entry.until())) {
            remove(key);
            return Optional.empty();
        }
        return Optional.of(
                entry.answer().aged(query, Duration.between(entry.since(), now).toSeconds()));
    }

    void put(DnsQuery query, Transport transport, byte[] reply, Instant now) {
        if (query.question().isEmpty()) {
            return;
        }
        CachedAnswer.read(reply).ifPresent(answer -> {
            var key = Key.of(query, transport);
            remove(key);
            var lifetime = Duration.ofSeconds(Math.min(answer.lifetime(), LONGEST.toSeconds()));
            entries.put(key, new Entry(answer, now, now.plus(lifetime)));
            size += weight(key, answer);
            while (size > CAPACITY) {
                remove(entries.firstEntry().getKey());
            }
        });
    }

    private void remove(Key key) {
        var old = entries.remove(key);
        if (old != null) {
            size -= weight(key, old.answer());
        }
    }

    private static int weight(Key key, CachedAnswer answer) {
        return OVERHEAD + key.query().capacity() + answer.size();
    }

    int size() {
        return size;
    }
}
