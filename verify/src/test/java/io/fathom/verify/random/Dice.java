// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/// The only source of chance here, repeatable by its seed.
final class Dice {
    private final Random random;

    Dice(long seed) {
        this.random = new Random(seed);
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    /// From `low` to `high`, both included.
    int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    @SafeVarargs
    final <T> T pick(T... values) {
        return values[random.nextInt(values.length)];
    }

    /// At least one, at most `most` of them, without repetition.
    <T> List<T> some(int most, List<T> values) {
        var shuffled = new ArrayList<>(values);
        Collections.shuffle(shuffled, random);
        return shuffled.subList(0, between(1, Math.min(most, values.size())));
    }
}
