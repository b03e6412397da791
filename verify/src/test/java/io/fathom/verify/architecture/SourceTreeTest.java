// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What the files of the tree look like, as opposed to what their code does.
class SourceTreeTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> SOURCES = Set.of("java", "proto", "go", "py");

    /// Written by the Maven project, with a licence header of its own.
    private static final Path WRAPPER = ROOT.resolve("mvnw");

    @Test
    void everySourceFileNamesItsLicence() {
        assertThat(sources())
                .hasSizeGreaterThan(1_000)
                .allSatisfy(
                        file -> assertThat(head(file)).as("%s", file).contains("SPDX-License-Identifier: Apache-2.0"));
    }

    private static List<Path> sources() {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !isMadeByTools(ROOT.relativize(file)))
                    .filter(file -> !file.equals(WRAPPER))
                    .filter(file -> SOURCES.contains(ending(file)) || head(file).startsWith("#!"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isMadeByTools(Path file) {
        return file.startsWith(".git") || Stream.of(file.toString().split("/")).anyMatch("target"::equals);
    }

    private static String ending(Path file) {
        var name = file.getFileName().toString();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static String head(Path file) {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(200), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
