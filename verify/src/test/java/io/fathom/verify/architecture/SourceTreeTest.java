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
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What the files of the tree look like, as opposed to what their code does.
class SourceTreeTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> SOURCES = Set.of("java", "proto", "go", "py");

    /// Written by the Maven project, with a licence header of its own.
    private static final Path WRAPPER = ROOT.resolve("mvnw");

    private static final long MOST_FILES = 45;

    /// One word alone, in the middle of a sentence.
    private static final Pattern TORN = Pattern.compile(" */// ?[a-z]+");

    private static final Pattern PAUSE = Pattern.compile("Thread\\.sleep\\(|\\bparkNanos\\(");

    /// They measure, and for that act at a steady pace of real time. The last one looks for the very words.
    private static final Set<String> PACED = Set.of("io/fathom/verify/bench/", "AdsScaleTest", "SourceTreeTest");

    @Test
    void everySourceFileNamesItsLicence() {
        assertThat(sources())
                .hasSizeGreaterThan(1_000)
                .allSatisfy(
                        file -> assertThat(head(file)).as("%s", file).contains("SPDX-License-Identifier: Apache-2.0"));
    }

    @Test
    void noPackageHasMoreFilesThanAListingShows() {
        var sizes = sources().stream()
                .filter(file -> ROOT.relativize(file).toString().contains("src/main/java/"))
                .collect(Collectors.groupingBy(Path::getParent, Collectors.counting()));

        assertThat(sizes)
                .hasSizeGreaterThan(50)
                .allSatisfy((folder, files) -> assertThat(files)
                        .as("files in %s: split it by concern", ROOT.relativize(folder))
                        .isLessThanOrEqualTo(MOST_FILES));
    }

    @Test
    void noCommentIsTornByTheFormatter() {
        assertThat(javaLines().filter(line -> TORN.matcher(line.text()).matches()))
                .as("wrap these comments again: a line of theirs was too long for the formatter")
                .isEmpty();
    }

    @Test
    void noTestWaitsForTimeToPass() {
        assertThat(javaLines()
                        .filter(line -> line.file().toString().contains("src/test/java/"))
                        .filter(line -> PAUSE.matcher(line.text()).find())
                        .filter(line -> PACED.stream()
                                .noneMatch(paced -> line.file().toString().contains(paced))))
                .as("a test that sleeps is slow or flaky: use Awaitility, a latch or a clock moved by hand")
                .isEmpty();
    }

    private static Stream<Line> javaLines() {
        return sources().stream().filter(file -> ending(file).equals("java")).flatMap(SourceTreeTest::lines);
    }

    private static Stream<Line> lines(Path file) {
        try {
            var texts = Files.readAllLines(file);
            return IntStream.range(0, texts.size()).mapToObj(i -> new Line(ROOT.relativize(file), i + 1, texts.get(i)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Line(Path file, int number, String text) {}

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
