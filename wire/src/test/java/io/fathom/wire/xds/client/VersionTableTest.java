// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VersionTableTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void givenAnySequence_thenItIsAMap(long seed) {
        var random = new Random(seed);
        var table = new VersionTable();
        var map = new HashMap<String, String>();
        for (int i = 0; i < 20_000; i++) {
            var name = "n" + random.nextInt(700);
            if (random.nextInt(3) == 0) {
                assertThat(table.remove(name)).isEqualTo(map.remove(name) != null);
            } else {
                var version = random.nextInt(10) == 0 ? "odd " + i : Long.toHexString(random.nextLong());
                table.put(name, version);
                map.put(name, version);
            }
            assertThat(table.size()).isEqualTo(map.size());
        }
        var copy = new HashMap<String, String>();
        table.forEach(copy::put);
        assertThat(copy).isEqualTo(map);
        map.forEach((name, version) -> assertThat(table.version(name)).contains(version));
    }

    @Test
    void givenVersionsOfAnyShape_thenTheyComeBackAsTheyWere() {
        var table = new VersionTable();
        for (var version :
                new String[] {"", "0", "00", "a", "A", "ffffffffffffffff", "10000000000000000", "v1", "01"}) {
            table.put("name", version);
            assertThat(table.version("name")).contains(version);
            assertThat(table.size()).isEqualTo(1);
        }
    }
}
