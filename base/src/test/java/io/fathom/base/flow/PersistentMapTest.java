// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PersistentMapTest {
    /// Few hashes, so that keys collide at every depth.
    private record Key(int number) {
        @Override
        public int hashCode() {
            return number % 7 == 0 ? 42 : number % 97;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void givenRandomChanges_thenItEqualsAHashMapAndOldVersionsStay(long seed) {
        var random = new Random(seed);
        var want = new HashMap<Key, Integer>();
        var map = PersistentMap.<Key, Integer>empty();
        var oldWant = Map.<Key, Integer>of();
        var old = map;
        for (int step = 0; step < 5_000; step++) {
            var key = new Key(random.nextInt(400));
            if (random.nextInt(3) == 0) {
                want.remove(key);
                map = map.without(key);
            } else {
                want.put(key, step);
                map = map.with(key, step);
            }
            assertThat(map.size()).isEqualTo(want.size());
            if (step == 2_500) {
                oldWant = Map.copyOf(want);
                old = map;
            }
        }
        assertThat(copy(map)).isEqualTo(want);
        assertThat(copy(old)).isEqualTo(oldWant);
        for (var row : want.entrySet()) {
            assertThat(map.get(row.getKey())).isEqualTo(row.getValue());
        }
    }

    @Test
    void givenTheSameRowsInAnyOrder_thenShapeAndIterationAreEqual() {
        var up = PersistentMap.<String, Integer>empty();
        var down = PersistentMap.<String, Integer>empty();
        for (int i = 0; i < 1_000; i++) {
            up = up.with("key-" + i, i);
            down = down.with("key-" + (999 - i), 999 - i).with("gone-" + i, i);
        }
        for (int i = 0; i < 1_000; i++) {
            down = down.without("gone-" + i);
        }
        assertThat(down).isEqualTo(up);
        assertThat(down).containsExactlyElementsOf(up);
    }

    @Test
    void givenTheSameValue_whenPutAgain_thenTheMapIsTheSame() {
        var map = PersistentMap.<String, String>empty().with("a", "1");
        assertThat(map.with("a", "1")).isSameAs(map);
        assertThat(map.without("b")).isSameAs(map);
        assertThat(map.without("a").isEmpty()).isTrue();
    }

    private static <K, V> Map<K, V> copy(PersistentMap<K, V> map) {
        var copy = new HashMap<K, V>();
        map.forEach(copy::put);
        var iterated = new HashMap<K, V>();
        map.forEach(row -> iterated.put(row.getKey(), row.getValue()));
        assertThat(iterated).isEqualTo(copy);
        return copy;
    }
}
