// SPDX-License-Identifier: Apache-2.0
package io.fathom.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ProcessNameTest {
    @Test
    void whenSet_thenTheKernelShowsIt() throws IOException {
        var before = Files.readString(Path.of("/proc/self/comm")).strip();
        try {
            ProcessName.set("fathom-verify");
            assertThat(Files.readString(Path.of("/proc/self/comm"))).isEqualTo("fathom-verify\n");
        } finally {
            ProcessName.set(before);
        }
    }
}
