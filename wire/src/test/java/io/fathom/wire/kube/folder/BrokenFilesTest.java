// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Each file that cannot be read gives exactly one message, and its neighbours are served.
class BrokenFilesTest {
    private static final int LIMIT = 100_000;

    @TempDir
    Path folder;

    @BeforeEach
    void neighbours() {
        FolderFixture.write(folder.resolve("a-good.yaml"), FolderFixture.namespace("before"));
        FolderFixture.write(folder.resolve("z-good.yaml"), FolderFixture.namespace("after"));
    }

    static Stream<Arguments> files() {
        var good = FolderFixture.namespace("inside");
        return Stream.of(
                argumentSet("too large", (good + "#".repeat(LIMIT)).getBytes(UTF_8), 0, "manifest-file-too-large"),
                argumentSet("Latin-1", (good + "# caf\u00e9\n").getBytes(ISO_8859_1), 5, "manifest-not-utf8"),
                argumentSet("UTF-16", good.getBytes(UTF_16), 1, "manifest-not-utf8"),
                argumentSet("binary", (good + "\0\1\2").getBytes(UTF_8), 5, "manifest-binary"));
    }

    @ParameterizedTest
    @MethodSource("files")
    void givenBrokenFile_thenOneMessageTellsWhereAndHow(byte[] content, int line, String code) throws IOException {
        Files.write(folder.resolve("m-broken.yaml"), content);
        try (var it = FolderFixture.open(folder, FolderConfig.DEFAULT.withMaxFileBytes(LIMIT))) {
            assertThat(it.sink.names()).containsExactly("Namespace after", "Namespace before");
            assertThat(it.source.problems()).singleElement().satisfies(problem -> {
                assertThat(problem.file()).isEqualTo(folder + "/m-broken.yaml");
                assertThat(problem.line()).isEqualTo(line);
                assertThat(problem.problem().code()).isEqualTo(code);
                assertThat(problem.problem().fix()).isNotBlank();
            });
        }
    }

    @Test
    void givenLinkThatLeadsNowhere_thenItIsNamed() throws IOException {
        Files.createSymbolicLink(folder.resolve("m-link.yaml"), Path.of("absent.yaml"));

        thenOnlyProblemIs("m-link.yaml", "manifest-file-unreadable", "nowhere");
    }

    @Test
    void givenPipe_thenItIsNamedAndNotWaitedFor() throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("mkfifo", folder.resolve("m-pipe.yaml").toString())
                        .start()
                        .waitFor())
                .isZero();

        thenOnlyProblemIs("m-pipe.yaml", "manifest-file-unreadable", "regular file");
    }

    @Test
    void givenLoopOfFolders_thenItIsNamed() throws IOException {
        Files.createDirectories(folder.resolve("sub"));
        Files.createSymbolicLink(folder.resolve("sub/loop"), Path.of(".."));

        thenOnlyProblemIs("sub/loop", "manifest-folder-loop", "folder above");
    }

    private void thenOnlyProblemIs(String file, String code, String words) {
        try (var it = FolderFixture.open(folder)) {
            assertThat(it.sink.names()).containsExactly("Namespace after", "Namespace before");
            assertThat(it.source.problems()).singleElement().satisfies(problem -> {
                assertThat(problem.file()).isEqualTo(folder + "/" + file);
                assertThat(problem.problem().code()).isEqualTo(code);
                assertThat(problem.problem().message()).contains(words);
            });
        }
    }
}
