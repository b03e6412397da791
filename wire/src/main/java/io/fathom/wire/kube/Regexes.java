package io.fathom.wire.kube;

import io.fathom.wire.kube.tree.Field;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/// Regular expressions that proxies are to match with. Theirs is RE2, which knows less than Java: an expression that it
/// refuses would take a whole listener with it.
final class Regexes {
    /// What looks around, refers back, or holds on to what it found.
    private static final Pattern UNKNOWN_TO_RE2 =
            Pattern.compile("\\(\\?(=|!|<=|<!|>)|\\\\[1-9k]|[*+?}]\\+|\\\\[GXRhHuUNe]");

    private static final Pattern ESCAPE = Pattern.compile("\\\\(.?)", Pattern.DOTALL);

    private Regexes() {}

    /// What takes the place of a match; `\\1` stands for its first group.
    static String substitution(Field field, String regex) {
        var text = field.text();
        var groups = Pattern.compile(forJava(regex)).matcher("").groupCount();
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
    static String checked(Field field) {
        var text = field.requiredText();
        check(field);
        return text;
    }

    /// Refuses an expression that RE2 does not take. Nothing, and a lone `*`, stand for anything.
    static void check(Field field) {
        var text = field.text();
        if (text.isEmpty() || text.equals("*")) {
            return;
        }
        if (UNKNOWN_TO_RE2.matcher(text).find()) {
            throw field.wrong(
                    "manifest-bad-value",
                    "is \"" + text + "\", which uses what RE2 does not know",
                    "do without looking ahead or behind, references to groups and possessive repetition");
        }
        try {
            var _ = Pattern.compile(forJava(text));
        } catch (PatternSyntaxException e) {
            throw field.wrong(
                    "manifest-bad-value",
                    "is \"" + text + "\", which is no regular expression: " + e.getDescription(),
                    "write an expression in the syntax of RE2");
        }
    }

    /// What RE2 spells in another way.
    private static String forJava(String regex) {
        return regex.replace("(?P<", "(?<").replace("\\C", ".");
    }
}
