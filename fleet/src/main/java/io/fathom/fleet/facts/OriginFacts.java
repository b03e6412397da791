// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.facts;

import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.OriginDigest;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.TreeMap;

/// How far one origin has got, and which services it has. For one thread.
final class OriginFacts {
    private static final int MOST_TOMBSTONES = 100_000;
    private static final int MOST_INCARNATIONS = 32;

    /// A service that is gone.
    record Tombstone(int row, long sequence, Instant time) {}

    final IntSet rows = new IntSet();
    /// Told so far of everything there is, while that is being told.
    final IntSet snapshot = new IntSet();
    final Deque<Tombstone> tombstones = new ArrayDeque<>();
    private final TreeMap<Long, Long> starts = new TreeMap<>();
    private FactVersion version = FactVersion.NONE;
    private OriginDigest digest;
    private long floor;
    private boolean settled;
    private boolean inSnapshot;

    OriginFacts(int origin) {
        this.digest = OriginDigest.none(origin);
    }

    FactVersion version() {
        return version;
    }

    OriginDigest digest() {
        return digest;
    }

    /// Whether the origin has said, since we are here, that this is all there is. Only then is absence removal.
    boolean settled() {
        return settled;
    }

    void settle() {
        settled = true;
    }

    /// Whatever it said up to that version is known, but not what it took back before.
    void restored(FactVersion known) {
        version = known;
        floor = known.sequence();
    }

    /// What is missing may be missing here alone.
    void unsettle() {
        settled = false;
    }

    boolean inSnapshot() {
        return inSnapshot;
    }

    void snapshotBegins() {
        if (!inSnapshot) {
            inSnapshot = true;
            snapshot.clear();
        }
    }

    void snapshotEnds() {
        inSnapshot = false;
        snapshot.clear();
    }

    void plus(long hash) {
        digest = digest.plus(hash);
    }

    void minus(long hash) {
        digest = digest.minus(hash);
    }

    void advance(FactVersion said) {
        if (said.incarnation() != version.incarnation()) {
            starts.put(said.incarnation(), Math.min(version.sequence(), said.sequence()));
            while (starts.size() > MOST_INCARNATIONS) {
                starts.pollFirstEntry();
            }
        }
        version = said;
    }

    void bury(Tombstone tombstone) {
        tombstones.addLast(tombstone);
    }

    /// The next one that is not remembered any longer: from before that time, or one too many.
    boolean hasOldTombstone(Instant before) {
        return !tombstones.isEmpty()
                && (tombstones.size() > MOST_TOMBSTONES
                        || tombstones.peekFirst().time().isBefore(before));
    }

    Tombstone unearth() {
        var oldest = tombstones.removeFirst();
        floor = oldest.sequence();
        return oldest;
    }

    /// After which sequence things are news for somebody who knows the origin up to `mark`; nothing when we cannot say.
    OptionalLong newsSince(FactVersion mark) {
        if (mark.incarnation() > version.incarnation() || mark.compareTo(version) > 0) {
            return OptionalLong.empty();
        }
        var sequence = mark.sequence();
        if (mark.incarnation() < version.incarnation()) {
            var later = starts.tailMap(mark.incarnation(), false);
            if (!later.containsKey(mark.incarnation() + 1)) {
                return OptionalLong.empty();
            }
            sequence = later.values().stream().reduce(sequence, Math::min);
        }
        return sequence < floor ? OptionalLong.empty() : OptionalLong.of(sequence);
    }
}
