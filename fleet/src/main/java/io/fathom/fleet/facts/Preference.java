// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.facts;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/// Which other clusters a receiver may know, and which it prefers: those that have endpoints, on its network, in its
/// region, with more endpoints (in powers of two, so that ordinary scaling reorders nothing). Between equal ones each
/// receiver has an order of its own, so that not all of them choose the same. Immutable.
public final class Preference {
    private static final int READY_SHIFT = 60;
    private static final int PLACE_SHIFT = 56;
    private static final int SIZE_SHIFT = 50;
    private static final long LOT_MASK = (1L << SIZE_SHIFT) - 1;

    /// By number of the origin; 0 for those that are not to be known.
    private final long[] ranks;
    private final long digest;

    /// An origin as the receiver sees it.
    ///
    /// @param onNetwork whether it is on the receiver's network
    /// @param inRegion whether it is in the receiver's region
    public record Candidate(int origin, boolean onNetwork, boolean inRegion) {}

    private Preference(long[] ranks, long digest) {
        this.ranks = ranks;
        this.digest = digest;
    }

    private static long share(int origin, long rank) {
        return rank == 0 ? 0 : mix(rank + origin);
    }

    /// Of these and no others.
    ///
    /// @param receiver its number
    public static Preference of(int receiver, Collection<Candidate> candidates) {
        var ranks = new long
                [1 + candidates.stream().mapToInt(Candidate::origin).max().orElse(0)];
        candidates.forEach(candidate -> ranks[candidate.origin()] = rank(receiver, candidate));
        return new Preference(
                ranks,
                IntStream.range(0, ranks.length)
                        .mapToLong(origin -> share(origin, ranks[origin]))
                        .sum());
    }

    /// The same with one origin that is new or somewhere else.
    public Preference with(int receiver, Candidate candidate) {
        var rank = rank(receiver, candidate);
        return knows(candidate.origin()) && ranks[candidate.origin()] == rank ? this : with(candidate.origin(), rank);
    }

    /// The same without one.
    public Preference without(int origin) {
        return knows(origin) ? with(origin, 0) : this;
    }

    private Preference with(int origin, long rank) {
        var next = Arrays.copyOf(ranks, Math.max(ranks.length, origin + 1));
        next[origin] = rank;
        var before = origin < ranks.length ? ranks[origin] : 0;
        return new Preference(next, digest - share(origin, before) + share(origin, rank));
    }

    private static long rank(int receiver, Candidate candidate) {
        var place = (candidate.onNetwork() ? 2L : 0) + (candidate.inRegion() ? 1 : 0);
        var lot = mix((long) receiver << 32 | candidate.origin()) & LOT_MASK & ~1023L;
        return place << PLACE_SHIFT | lot | 1;
    }

    /// Which of the rest of the origins count, and how, in one number.
    public long digest() {
        return digest;
    }

    /// All that are to be known.
    public List<Integer> origins() {
        return IntStream.range(0, ranks.length)
                .filter(origin -> ranks[origin] != 0)
                .boxed()
                .toList();
    }

    public boolean knows(int origin) {
        return origin < ranks.length && ranks[origin] != 0;
    }

    /// The higher the better.
    long score(int origin, int ready) {
        if (ready < 0) {
            return -1;
        }
        var size = ready == 0 ? 0L : 32 - Integer.numberOfLeadingZeros(ready);
        return (ready > 0 ? 1L << READY_SHIFT : 0) | ranks[origin] | size << SIZE_SHIFT;
    }

    private static long mix(long value) {
        var mixed = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof Preference preference && Arrays.equals(ranks, preference.ranks));
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(ranks);
    }
}
