// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.args;

import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Stream;

/// Something a program can be told to do.
///
/// @param aliases other names
/// @param operands how the words after the name are shown in the help text, such as `KIND`; empty for none
/// @param help what it does: a summary on the first line, more below
public record Command(
        String name, List<String> aliases, String operands, String help, List<Flag> flags, CommandAction action) {
    /// Does it, and returns the exit code.
    public interface CommandAction {
        int run(Arguments arguments, PrintWriter out);
    }

    public Command {
        aliases = List.copyOf(aliases);
        flags = List.copyOf(flags);
    }

    String summary() {
        return help.lines().findFirst().orElse("");
    }

    Stream<String> names() {
        return Stream.concat(Stream.of(name), aliases.stream());
    }
}
