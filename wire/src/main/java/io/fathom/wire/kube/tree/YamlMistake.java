// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import io.fathom.base.lang.Problem;
import java.util.Objects;
import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;

/// Turns what the YAML parser complains about into a message with the line to look at and a way out.
final class YamlMistake {
    private YamlMistake() {}

    static MisreadException of(MarkedYamlEngineException cause, String file, int firstLine, String path) {
        var problem = Objects.requireNonNullElse(cause.getProblem(), "it cannot be understood");
        var context = Objects.requireNonNullElse(cause.getContext(), "");
        if (context.contains("quoted scalar") && problem.contains("end of stream")) {
            return misread(
                    file,
                    line(cause.getContextMark(), firstLine),
                    path,
                    "a quote is opened and never closed",
                    "close the quote that begins on this line");
        }
        var line = line(cause.getProblemMark(), firstLine);
        if (problem.contains("TAB")) {
            return misread(file, line, path, "is indented with a tab", "indent with spaces");
        }
        if (context.contains("flow") && problem.contains("expected ','")) {
            return misread(
                    file,
                    line(cause.getContextMark(), firstLine),
                    path,
                    "a bracket is opened and not closed, or a comma is missing",
                    "close [ with ] and { with }, and put commas between the values");
        }
        return misread(
                file,
                line,
                path,
                "is not valid YAML: " + (context.isEmpty() ? "" : context + ", ") + problem,
                fix(problem));
    }

    private static String fix(String problem) {
        if (problem.contains("mapping values are not allowed") || problem.contains("block end")) {
            return "check the indentation of this line and the one before; quote text that contains a colon";
        }
        if (problem.contains("cannot start any token")) {
            return "quote text that begins with @, `, %, or another special character";
        }
        return "check quotes, brackets, colons and indentation around this line";
    }

    private static int line(Optional<Mark> mark, int firstLine) {
        return firstLine + mark.map(Mark::getLine).orElse(0);
    }

    private static MisreadException misread(String file, int line, String path, String message, String fix) {
        return new MisreadException(new Position(file, line), path, Problem.ofInput("manifest-syntax", message, fix));
    }
}
