// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.regex.Pattern;

/// Reads what follows `--set`: `PATH=VALUE`, where the path has dots (a dot in a name is `\.`) and the value is true,
/// false, a whole number, a list in braces, or text. Pure.
final class SetText {
    private static final Pattern DOT = Pattern.compile("(?<!\\\\)\\.");
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]{0,17})");

    private SetText() {}

    /// As a tree with that one value in it.
    ///
    /// @throws ProblemException that quotes it and says how it should look
    static Tree parse(String text) {
        var equals = text.indexOf('=');
        if (equals <= 0) {
            throw bad(text, "has no value", "write PATH=VALUE, like values.global.tag=1.2.3");
        }
        var steps = DOT.splitAsStream(text.substring(0, equals))
                .map(step -> step.replace("\\.", "."))
                .toList();
        if (steps.stream().anyMatch(String::isBlank)) {
            throw bad(text, "has a step without a name", "write names with one dot between them");
        }
        if (steps.stream().anyMatch(step -> step.contains("["))) {
            throw bad(text, "names a place in a list", "write the whole list: PATH={A,B}, or use -f FILE");
        }
        var tree = Json.of(value(text.substring(equals + 1)));
        for (var step : steps.reversed()) {
            var entry = new LinkedHashMap<String, Tree>();
            entry.put(step, tree);
            tree = Json.of(entry);
        }
        return tree;
    }

    private static Object value(String text) {
        if (text.equals("null")) {
            return Json.NOTHING;
        }
        if (text.startsWith("{") && text.endsWith("}")) {
            var items = new ArrayList<Object>();
            var inner = text.substring(1, text.length() - 1);
            if (!inner.isBlank()) {
                List.of(inner.split(",", -1)).forEach(item -> items.add(value(item.strip())));
            }
            return items;
        }
        if (text.equals("true") || text.equals("false")) {
            return Boolean.valueOf(text);
        }
        return NUMBER.matcher(text).matches() ? (Object) Long.valueOf(text) : text;
    }

    private static ProblemException bad(String text, String message, String fix) {
        return new ProblemException(Problem.ofInput("bad-command-line", "--set " + text + " " + message, fix));
    }
}
