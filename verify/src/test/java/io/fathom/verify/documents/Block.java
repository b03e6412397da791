// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.documents;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// A fenced block of a document. Its first line says what it is: a language and, for commands, one mark:
///
/// - `sh run=mesh`: `DocumentsIT` runs it, with a mesh of `bin/up`
/// - `sh run=clusters`: `ClustersTutorialIT` runs it, with several clusters of `bin/up`
/// - `sh tested-by=SomeIT`: that test does the same, in its own way; `DocumentsTest` looks whether it speaks of it
/// - `sh not-run="reason"`
///
/// @param line of the opening fence, from 1
public record Block(Path file, int line, String info, String text) {
    private static final Pattern MARKS =
            Pattern.compile("sh (?:run=(?<run>mesh|clusters)|tested-by=(?<test>\\w+)|not-run=\"(?<reason>[^\"]+)\")");

    /// A command as somebody types it and, below it, what it prints.
    public record Command(String line, String printed) {}

    public String language() {
        return info.split(" ", 2)[0];
    }

    /// Whether its first line says all that it has to.
    public boolean isMarked() {
        return !info.isEmpty()
                && (!language().equals("sh") || MARKS.matcher(info).matches());
    }

    /// Whether it is run in one mesh of `bin/up`.
    public boolean isRunnable() {
        return info.equals("sh run=mesh");
    }

    /// Whether it is run in several clusters of `bin/up`.
    public boolean isForClusters() {
        return info.equals("sh run=clusters");
    }

    /// The name of the test that does what the block says.
    public Optional<String> testedBy() {
        var match = MARKS.matcher(info);
        return match.matches() ? Optional.ofNullable(match.group("test")) : Optional.empty();
    }

    /// Lines that begin with `$` are commands, what follows one is printed by it. Without any, the block is one script.
    public List<Command> commands() {
        if (text.lines().noneMatch(line -> line.startsWith("$ "))) {
            return List.of(new Command(text.strip(), ""));
        }
        var commands = new ArrayList<Command>();
        text.lines().forEach(line -> {
            if (line.startsWith("$ ")) {
                commands.add(new Command(line.substring(2), ""));
            } else {
                var last = commands.removeLast();
                commands.add(new Command(last.line(), last.printed() + line + "\n"));
            }
        });
        return commands;
    }

    @Override
    public String toString() {
        return file + ":" + line;
    }
}
