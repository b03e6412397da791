// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFilesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void givenALongLog_whenTrimmed_thenItsWriterGoesOnInAShortOne() throws Exception {
        var log = folder.resolve("pod.log");
        Files.writeString(folder.resolve("other.log"), "short");
        try (var writer = Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            writer.write("a long line");
            writer.flush();

            new LogFiles(folder, 5).trim();
            writer.write("next");
        }

        assertThat(log).hasContent("next");
        assertThat(folder.resolve("pod.log.old")).hasContent("a long line");
        assertThat(folder.resolve("other.log")).hasContent("short");
    }
}
