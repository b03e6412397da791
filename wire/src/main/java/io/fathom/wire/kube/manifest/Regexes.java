// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.fathom.wire.kube.tree.Field;

/// Regular expressions that proxies are to match with. Theirs is RE2, which knows less than Java: an expression that it
/// refuses would take a whole listener with it.
public final class Regexes {
    private static final java.util.regex.Pattern ESCAPE =
            java.util.regex.Pattern.compile("\\\\(.?)", java.util.regex.Pattern.DOTALL);

    private Regexes() {}

    /// What takes the place of a match; `\\1` stands for its first group.
    public static String substitution(Field field, String regex) {
        var text = field.text();
        var groups = compile(regex).groupCount();
        for (var escape = ESCAPE.matcher(text); escape.find(); ) {
            var name = escape.group(1);
            var isGroup = name.length() == 1 && name.charAt(0) >= '0' && name.charAt(0) - '0' <= groups;
            if (!isGroup && !name.equals("\\")) {
                throw field.wrong(
                        "manifest-bad-value",
                        "is \"" + text + "\", but the expression has " + groups + " groups",
                        "refer to groups that there are; write two backslashes for one");
            }
        }
        return text;
    }

    /// The text of the field, when it is an expression that RE2 takes.
    public static String checked(Field field) {
        var text = field.requiredText();
        check(field);
        return text;
    }

    /// Refuses an expression that RE2 does not take. Nothing, and a lone `*`, stand for anything.
    public static void check(Field field) {
        var text = field.text();
        if (text.isEmpty() || text.equals("*")) {
            return;
        }
        try {
            var _ = compile(text);
        } catch (PatternSyntaxException e) {
            throw field.wrong(
                    "manifest-bad-value",
                    "is \"%s\", which RE2 does not take: %s at %s".formatted(text, e.getDescription(), e.getPattern()),
                    "write an expression in the syntax of RE2: no looking ahead or behind, no references to groups, no"
                            + " possessive repetition, at most 1000 repetitions");
        }
    }

    /// The library has no `\C`, any byte, which Envoy's has.
    private static Pattern compile(String regex) {
        return Pattern.compile(regex.replace("\\C", "."));
    }
}
