// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What documents promise without being run: marks of commands, links and the names of files.
class DocumentsTest {
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern SCRIPT = Pattern.compile("`(?:sudo )?((?:bin|samples|deploy)/[\\w./-]*\\w)[ `]");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    @Test
    void givenABlock_thenItSaysWhatItIs_andCommandsSayWhoRunsThem() {
        assertThat(Documents.blocks()).hasSizeGreaterThan(20).allMatch(Block::isMarked, "has a language and a mark");
    }

    @Test
    void givenABlockThatATestCovers_thenThereIsSuchATest() throws IOException {
        try (var files = Files.walk(Documents.ROOT)) {
            var tests = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> name.replace(".java", ""))
                    .collect(Collectors.toSet());
            assertThat(Documents.blocks().stream().flatMap(block -> block.testedBy().stream()))
                    .isNotEmpty()
                    .allMatch(tests::contains);
        }
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
