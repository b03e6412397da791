// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.damage;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Randomness that a seed repeats.
final class Dice {
    private final SplittableRandom random;

    Dice(long seed) {
        this.random = new SplittableRandom(seed);
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    @SafeVarargs
    final <T> T pick(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    <T> T pick(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /// At least one.
    <T> List<Object> some(List<T> choices) {
        var some = new ArrayList<Object>();
        choices.forEach(choice -> {
            if (chance(40)) {
                some.add(choice);
            }
        });
        return some.isEmpty() ? new ArrayList<>(List.of((Object) pick(choices))) : some;
    }
}
