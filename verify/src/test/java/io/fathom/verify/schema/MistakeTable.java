// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

/// The objects of `mistakes.yaml` and what shall be said of each.
final class MistakeTable {
    private static final Path FILE = Path.of("src/test/resources/mistakes/mistakes.yaml");
    private static final Pattern CASE = Pattern.compile("(?m)^--- # (.*)\n");
    private static final String WANT = "#> ";

    /// One object.
    ///
    /// @param number by which its file is called
    /// @param want lines such as `6 spec.rules[0].form: is not a known field (fix: write from instead)`
    record Case(int number, String name, String yaml, List<String> want) {
        boolean isRight() {
            return name.endsWith(": nothing wrong");
        }

        /// Whether a parser of JSON would not even show us this, and kubectl does not show it to the API server.
        boolean isOfText() {
            return want.stream().anyMatch(line -> line.contains("is written twice"));
        }

        /// Whether something has no value at all: kubectl leaves it out before it asks the API server.
        boolean isOfNull() {
            return want.stream().anyMatch(line -> line.contains("is empty (fix: write a value"));
        }

        String file() {
            return "%03d.yaml".formatted(number);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private MistakeTable() {}

    static List<Case> read() {
        var text = text();
        var cases = new ArrayList<Case>();
        var heads = CASE.matcher(text).results().toList();
        for (var i = 0; i < heads.size(); i++) {
            var end = i + 1 < heads.size() ? heads.get(i + 1).start() : text.length();
            var lines = text.substring(heads.get(i).end(), end).lines().toList();
            cases.add(new Case(
                    i,
                    heads.get(i).group(1),
                    String.join(
                                    "\n",
                                    lines.stream()
                                            .filter(line -> !line.startsWith(WANT))
                                            .toList()) + "\n",
                    lines.stream()
                            .filter(line -> line.startsWith(WANT))
                            .map(line -> line.substring(WANT.length()))
                            .toList()));
        }
        return cases;
    }

    /// Writes the table again, with what is said now.
    static void write(Function<Case, List<String>> said) {
        var text = text();
        var written = new StringBuilder(text.substring(0, text.indexOf("--- #")));
        for (var one : read()) {
            written.append("--- # ").append(one.name()).append('\n').append(one.yaml());
            said.apply(one).forEach(line -> written.append(WANT).append(line).append('\n'));
        }
        try {
            Files.writeString(FILE, written);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Puts each object into a file of its own.
    static void scatter(Path folder) {
        for (var one : read()) {
            try {
                Files.writeString(folder.resolve(one.file()), one.yaml());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static String text() {
        try {
            return Files.readString(FILE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
