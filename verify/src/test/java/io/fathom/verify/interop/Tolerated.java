package io.fathom.verify.interop;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// A difference to upstream that we chose. Each is described under its title in `docs/differences.md`.
///
/// @param title as in that document
/// @param lines which lines of a comparison are due to it
record Tolerated(String title, Predicate<String> lines) {
    /// What the live comparison may report. The random clusters avoid all others.
    static final List<Tolerated> DIFFERENCES = List.of();

    static Tolerated matching(String title, String expression) {
        return new Tolerated(title, Pattern.compile(expression).asPredicate());
    }

    /// The lines that no chosen difference explains.
    static List<String> unexplained(List<String> lines) {
        return lines.stream()
                .filter(line -> DIFFERENCES.stream().noneMatch(each -> each.lines.test(line)))
                .toList();
    }
}
