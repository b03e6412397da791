// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The Markdown files of the tree, in a fixed order: the README first.
public final class Documents {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String FENCE = "```";

    private Documents() {}

    public static List<Block> blocks() {
        return files().stream()
                .flatMap(file -> blocks(file, read(file)).stream())
                .toList();
    }

    static List<Path> files() {
        try (var files = Files.walk(ROOT)) {
            var others = files.filter(file -> file.toString().endsWith(".md"))
                    .map(ROOT::relativize)
                    .filter(file -> !isHidden(file) && !file.equals(Path.of("README.md")))
                    .sorted();
            return Stream.concat(Stream.of(Path.of("README.md")), others).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Block> blocks(Path file, String document) {
        var blocks = new ArrayList<Block>();
        var lines = document.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith(FENCE)) {
                int end = i + 1;
                while (!lines.get(end).equals(FENCE)) {
                    end++;
                }
                var text = String.join("\n", lines.subList(i + 1, end)) + "\n";
                blocks.add(new Block(file, i + 1, lines.get(i).substring(FENCE.length()), text));
                i = end;
            }
        }
        return blocks;
    }

    private static boolean isHidden(Path file) {
        return Stream.of(file.toString().split("/", -1))
                .anyMatch(part -> part.startsWith(".") || part.equals("target"));
    }
}
