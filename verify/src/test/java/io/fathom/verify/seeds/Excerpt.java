// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.seeds;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;

/// Some lines of a seed, as printed there.
///
/// @param at `SEED:LINE`, of the first line
/// @param place where it is, in words
/// @param tests the classes that run it, by simple name
public record Excerpt(String at, String place, Kind kind, List<String> tests, String text) {
    private static final String FILE = "/seeds/excerpts.txt";
    private static final Pattern HEAD = Pattern.compile("=== (\\d{3}):(\\d+)(?:-(\\d+))? (\\w+)(.*)");

    public enum Kind {
        MANIFEST,
        COMMAND,
        SHAPE,
        /// Not there yet.
        LATER
    }

    public Excerpt {
        tests = List.copyOf(tests);
    }

    static List<Excerpt> all() {
        var excerpts = new ArrayList<Excerpt>();
        var body = new StringBuilder();
        for (var line : file().lines().toList().reversed()) {
            var head = HEAD.matcher(line);
            if (head.matches()) {
                excerpts.addFirst(new Excerpt(
                        head.group(1) + ":" + head.group(2),
                        "seed " + head.group(1)
                                + (head.group(3) == null
                                        ? ", line " + head.group(2)
                                        : ", lines " + head.group(2) + " to " + head.group(3)),
                        Kind.valueOf(head.group(4).toUpperCase(Locale.ROOT)),
                        Pattern.compile("\\w+")
                                .matcher(head.group(5))
                                .results()
                                .map(MatchResult::group)
                                .toList(),
                        body.toString().stripTrailing()));
                body.setLength(0);
            } else {
                body.insert(0, line + "\n");
            }
        }
        return excerpts;
    }

    /// What a test class has to run, in the order of the seeds.
    public static List<Excerpt> of(Class<?> test) {
        return all().stream()
                .filter(excerpt -> excerpt.tests.contains(test.getSimpleName()))
                .toList();
    }

    public static Excerpt at(String place) {
        return all().stream()
                .filter(excerpt -> excerpt.at.equals(place))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no excerpt begins at " + place));
    }

    /// A test for each excerpt of a class, named by seed and line. One without a check fails.
    public static Stream<DynamicTest> tests(Class<?> test, Checks checks) {
        return of(test).stream().map(excerpt -> DynamicTest.dynamicTest(excerpt.title(), checks.of(excerpt)));
    }

    /// What there is to check of an excerpt.
    public interface Checks {
        Executable of(Excerpt excerpt);
    }

    /// Where it is, and how it begins.
    private String title() {
        return place + ": " + text.lines().findFirst().orElse("");
    }

    private static String file() {
        try (var stream = Objects.requireNonNull(Excerpt.class.getResourceAsStream(FILE))) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
