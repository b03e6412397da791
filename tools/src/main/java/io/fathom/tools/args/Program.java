// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.args;

import io.fathom.base.lang.Likeness;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// A program made of commands, each with flags of its own besides those that all share.
///
/// Exit codes are istioctl's: 0 fine, 1 failed, 64 wrong usage.
public record Program(String name, String purpose, List<Flag> shared, List<Command> commands) {
    public static final int FAILED = 1;
    public static final int WRONG_USAGE = 64;
    private static final Flag HELP =
            Flag.toggle("--help", "Show what a command does.").orShort("-h");

    public Program {
        shared = Stream.concat(shared.stream(), Stream.of(HELP)).toList();
        commands = List.copyOf(commands);
    }

    /// Shared flags may stand before the command or after it.
    public int run(String[] args, PrintWriter out, PrintWriter err) {
        try {
            return run(args, out);
        } catch (ProblemException e) {
            var usage = e.problem().code().equals("bad-command-line");
            err.print(complaint(name, e.problem()));
            return usage ? WRONG_USAGE : FAILED;
        } finally {
            out.flush();
            err.flush();
        }
    }

    /// What a program says when it cannot go on: what went wrong, and what to do about it.
    public static String complaint(String program, Problem problem) {
        return program + ": " + problem.message() + "\n  fix: " + problem.fix() + "\n";
    }

    private int run(String[] args, PrintWriter out) {
        var rest = new ArrayDeque<>(Arrays.asList(args));
        var leading = Arguments.parseLeading(shared, rest);
        if (rest.isEmpty()) {
            if (!leading.has(HELP)) {
                throw Arguments.problem("no command given", "give one of " + names() + "; see " + name + " --help");
            }
            out.print(help());
            return 0;
        }
        var command = command(rest.remove());
        var flags = Stream.concat(command.flags().stream(), shared.stream()).toList();
        var leadingWords = Arrays.copyOf(args, args.length - rest.size() - 1);
        var words = Stream.concat(Arrays.stream(leadingWords), rest.stream()).toArray(String[]::new);
        var arguments = Arguments.parse(flags, words);
        if (arguments.has(HELP)) {
            out.print(help(command));
            return 0;
        }
        return command.action().run(arguments, out);
    }

    private Command command(String word) {
        return commands.stream()
                .filter(command -> command.names().anyMatch(word::equals))
                .findFirst()
                .orElseThrow(() -> Arguments.problem(
                        "there is no command " + word,
                        Likeness.closest(word, commands.stream().flatMap(Command::names))
                                .map(likely -> "did you mean " + likely + "?")
                                .orElse("give one of " + names())));
    }

    private String names() {
        return String.join(", ", commands.stream().map(Command::name).toList());
    }

    private String help() {
        var text = new HelpText()
                .line(purpose)
                .line("")
                .line("Usage: " + name + " COMMAND [FLAG ...]")
                .line("");
        commands.forEach(command -> text.row(command.name(), command.summary()));
        return text.line("").flags(shared).toString();
    }

    private String help(Command command) {
        var text = new HelpText().line(command.help().strip()).line("");
        var operands = command.operands().isEmpty() ? "" : " " + command.operands();
        text.line("Usage: " + name + " " + command.name() + operands + " [FLAG ...]");
        if (!command.aliases().isEmpty()) {
            text.line("Also: " + String.join(", ", command.aliases()));
        }
        return text.line("").flags(command.flags()).flags(shared).toString();
    }
}
