// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.args;

import io.fathom.base.lang.Likeness;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// What a command line says: values by flag, and the words that belong to no flag. A flag given twice counts the last
/// time, unless whoever asks wants all; `--` ends the flags.
public final class Arguments {
    private final Map<Flag, List<String>> values;
    private final List<String> operands;

    private Arguments(Map<Flag, List<String>> values, List<String> operands) {
        this.values = Map.copyOf(values);
        this.operands = List.copyOf(operands);
    }

    /// Flags and other words may be mixed.
    ///
    /// @throws ProblemException for an unknown flag or a missing value, with what was probably meant
    public static Arguments parse(List<Flag> flags, String... args) {
        return parse(flags, new ArrayDeque<>(Arrays.asList(args)), Mixing.ALLOWED);
    }

    /// Stops before the first word that is no flag and leaves it and the rest in `args`.
    ///
    /// @throws ProblemException like [#parse]
    static Arguments parseLeading(List<Flag> flags, Deque<String> args) {
        return parse(flags, args, Mixing.STOPS);
    }

    /// What a word between flags does.
    private enum Mixing {
        ALLOWED,
        STOPS
    }

    private static Arguments parse(List<Flag> flags, Deque<String> args, Mixing mixing) {
        Map<Flag, List<String>> values = new HashMap<>();
        List<String> operands = new ArrayList<>();
        while (!args.isEmpty() && !(mixing == Mixing.STOPS && !isFlag(args.element()))) {
            var word = args.remove();
            if (word.equals("--")) {
                operands.addAll(args);
                args.clear();
            } else if (isFlag(word)) {
                flag(flags, word, args, values);
            } else {
                operands.add(word);
            }
        }
        return new Arguments(values, operands);
    }

    private static void flag(List<Flag> flags, String word, Deque<String> rest, Map<Flag, List<String>> values) {
        var equals = word.indexOf('=');
        var name = equals < 0 ? word : word.substring(0, equals);
        var flag = flags.stream()
                .filter(candidate -> candidate.isCalled(name))
                .findFirst()
                .orElseThrow(() -> unknown(name, flags));
        if (!flag.takesValue()) {
            if (equals >= 0) {
                throw problem(name + " takes no value", "write just " + name);
            }
            add(values, flag, "");
        } else if (equals >= 0) {
            add(values, flag, word.substring(equals + 1));
        } else if (rest.isEmpty() || rest.element().startsWith("--")) {
            throw problem(name + " needs a value", "write " + name + " " + flag.label());
        } else {
            add(values, flag, rest.remove());
        }
    }

    private static void add(Map<Flag, List<String>> values, Flag flag, String value) {
        values.computeIfAbsent(flag, _ -> new ArrayList<>()).add(value);
    }

    public boolean has(Flag flag) {
        return values.containsKey(flag);
    }

    public Optional<String> value(Flag flag) {
        return Optional.ofNullable(values.get(flag)).map(List::getLast);
    }

    /// All values of a flag that may be given several times, in order.
    public List<String> all(Flag flag) {
        return List.copyOf(values.getOrDefault(flag, List.of()));
    }

    /// The words that belong to no flag, in order.
    public List<String> operands() {
        return operands;
    }

    /// A single dash is a word, as is a negative number.
    private static boolean isFlag(String word) {
        return word.startsWith("-") && !word.matches("-|-[0-9].*");
    }

    private static ProblemException unknown(String name, List<Flag> flags) {
        var names = flags.stream().flatMap(flag -> Stream.of(flag.name(), flag.shortName()));
        return problem(
                "there is no flag " + name,
                Likeness.closest(name, names)
                        .map(likely -> "did you mean " + likely + "?")
                        .orElse("see --help"));
    }

    static ProblemException problem(String message, String fix) {
        return new ProblemException(Problem.ofInput("bad-command-line", message, fix));
    }
}
