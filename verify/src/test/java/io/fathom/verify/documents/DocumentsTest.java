// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What documents promise without being run: marks of commands, links and the names of files.
class DocumentsTest {
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern SCRIPT = Pattern.compile("`(?:sudo )?((?:bin|samples|deploy)/[\\w./-]*\\w)[ `]");
    private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT))#(\\w+)`");
    private static final Pattern WORD = Pattern.compile("[A-Za-z][\\w-]{2,}");
    private static final Pattern COMMENT = Pattern.compile("(^|\\s)#.*");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    @Test
    void givenABlock_thenItSaysWhatItIs_andCommandsSayWhoRunsThem() {
        assertThat(Documents.blocks()).hasSizeGreaterThan(20).allMatch(Block::isMarked, "has a language and a mark");
    }

    /// A renamed flag or another test shows; that the test does all of it does not.
    @Test
    void givenABlockThatATestCovers_thenThatTestSpeaksOfIt() throws IOException {
        var tests = tests();
        assertThat(Documents.blocks())
                .filteredOn(block -> block.testedBy().isPresent())
                .isNotEmpty()
                .allSatisfy(block -> {
                    var name = block.testedBy().orElseThrow();
                    assertThat(tests).as("%s", block).containsKey(name);
                    var source = Documents.read(Objects.requireNonNull(tests.get(name)));
                    assertThat(block.text().lines())
                            .as("%s: %s has half of the words of a line", block, name)
                            .anyMatch(line -> halfIsIn(source, line));
                });
    }

    /// Of a class and a method, as `SomeTest#givenThis_thenThat`.
    @Test
    void givenTheNameOfATest_thenItIsThere() throws IOException {
        var tests = tests();
        var missing = new ArrayList<String>();
        for (var file : Documents.files()) {
            TEST.matcher(Documents.read(file)).results().forEach(match -> {
                var source = tests.get(match.group(1));
                if (source == null || !Documents.read(source).contains("void " + match.group(2) + "(")) {
                    missing.add(file + ": " + match.group());
                }
            });
        }
        assertThat(missing).isEmpty();
    }

    private static Map<String, Path> tests() throws IOException {
        try (var files = Files.walk(Documents.ROOT)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().contains("/src/test/java/"))
                    .collect(Collectors.toMap(
                            file -> file.getFileName().toString().replace(".java", ""),
                            Documents.ROOT::relativize,
                            (first, _) -> first));
        }
    }

    private static boolean halfIsIn(String source, String line) {
        var words = WORD.matcher(COMMENT.matcher(line).replaceAll(""))
                .results()
                .map(MatchResult::group)
                .distinct()
                .toList();
        var found = words.stream().filter(source::contains).count();
        return found >= 2 && 2 * found >= words.size();
    }

    @Test
    void givenALink_thenItLeadsSomewhere() {
        var broken = new ArrayList<String>();
        for (var file : Documents.files()) {
            LINK.matcher(Documents.read(file))
                    .results()
                    .map(match -> match.group(1))
                    .forEach(link -> {
                        if (!link.contains("://") && !leads(file, link)) {
                            broken.add(file + ": " + link);
                        }
                    });
        }
        assertThat(broken).isEmpty();
    }

    private static boolean leads(Path file, String link) {
        var parts = link.split("#", 2);
        var target = parts[0].isEmpty()
                ? file
                : Path.of("/").resolve(file).resolveSibling(parts[0]).normalize();
        var path = parts[0].isEmpty() ? file : Path.of("/").relativize(target);
        return Files.exists(Documents.ROOT.resolve(path))
                && (parts.length == 1 || anchors(path).contains(parts[1]));
    }

    private static List<String> anchors(Path file) {
        return HEADING.matcher(Documents.read(file))
                .results()
                .map(match -> match.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    @Test
    void givenTheNameOfAFile_thenItIsThere() {
        var missing = new ArrayList<String>();
        for (var file : Documents.files()) {
            SCRIPT.matcher(Documents.read(file))
                    .results()
                    .map(match -> match.group(1))
                    .forEach(name -> {
                        if (!Files.exists(Documents.ROOT.resolve(name))) {
                            missing.add(file + ": " + name);
                        }
                    });
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void givenCommandsWithWhatTheyPrint_thenBothAreRead() {
        var text = "```sh run=mesh\n$ one   # 200: fine\nprinted\n$ two\n```\n\n```text\na picture\n```\n";
        var blocks = Documents.blocks(Path.of("x.md"), text);
        assertThat(blocks).extracting(Block::isRunnable).containsExactly(true, false);
        assertThat(blocks.getFirst().commands())
                .containsExactly(new Block.Command("one   # 200: fine", "printed\n"), new Block.Command("two", ""));
        assertThat(Stream.of("sh", "", "sh run=nowhere", "sh not-run=", "sh tested-by=")
                        .map(info -> new Block(Path.of("x.md"), 1, info, "")))
                .noneMatch(Block::isMarked);
    }
}
