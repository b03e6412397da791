// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ToleratedTest {
    @Test
    void givenToleratedDifference_thenItIsDocumented() throws IOException {
        var document = Files.readString(Path.of("..", "docs", "differences.md"));

        assertThat(Tolerated.DIFFERENCES)
                .allSatisfy(each -> assertThat(document).contains(each.upstream()));
    }
}
