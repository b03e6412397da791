// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IpSetTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void givenRandomBlocks_thenTheSetAnswersAsTheyDo(long seed) {
        var random = new Random(seed);
        var blocks = new ArrayList<IpBlock>();
        for (int i = 0; i < 12; i++) {
            blocks.add(
                    random.nextBoolean()
                            ? new IpBlock(v4(random), 22 + random.nextInt(11))
                            : new IpBlock(v6(random), 118 + random.nextInt(11)));
        }
        var set = IpSet.of(blocks);
        for (int i = 0; i < 2_000; i++) {
            var ip = random.nextBoolean() ? v4(random) : v6(random);
            assertThat(set.contains(ip))
                    .as("%s in %s", ip, blocks)
                    .isEqualTo(blocks.stream().anyMatch(block -> block.contains(ip)));
        }
    }

    private static Ip v4(Random random) {
        return new Ip(0, 0x0a00_0000L + random.nextInt(4096), Ip.Family.V4);
    }

    private static Ip v6(Random random) {
        return new Ip(1, random.nextInt(4096), Ip.Family.V6);
    }
}
