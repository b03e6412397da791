// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PlacementTest {
    @Test
    void thenPodsOfADeploymentAreSpread_andTheRestIsBalanced() {
        assertThat(Placement.choose(List.of(List.of(), List.of()), "web")).isZero();
        assertThat(Placement.choose(List.of(List.of("web"), List.of("a", "b", "c")), "web"))
                .isEqualTo(1);
        assertThat(Placement.choose(List.of(List.of("web", "a"), List.of("web")), "web"))
                .isEqualTo(1);
    }
}
