// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SupervisedTest {
    @TempDir
    Path folder;

    @Test
    void givenAProgramThatEnds_thenItStartsAgainAndItsLastLineIsKnown() {
        var program = Supervised.start(
                "broken",
                List.of("sh", "-c", "echo first; echo no port for $NAME; echo"),
                Map.of("NAME", "x"),
                folder.resolve("log"));

        await().until(() -> program.restarts() > 0);

        assertThat(program.lastLine()).isEqualTo("no port for x");
    }

    @Test
    void givenAProgramThatPrintsNothing_thenThatIsSaid() {
        var program = Supervised.start("silent", List.of("sleep", "60"), Map.of(), folder.resolve("log"));
        await().until(() -> program.pid() != 0);

        assertThat(program.lastLine()).isEqualTo("nothing");
        assertThat(program.restarts()).isZero();
        ProcessHandle.of(program.pid()).ifPresent(ProcessHandle::destroyForcibly);
    }
}
