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

    private Regexes() {}

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
            var _ = Pattern.compile(
                    text.replace("(?P<", "(?<").replace("\\C", ".").replace("\\z", "$"));
        } catch (PatternSyntaxException e) {
            throw field.wrong(
                    "manifest-bad-value",
                    "is \"" + text + "\", which is no regular expression: " + e.getDescription(),
                    "write an expression in the syntax of RE2");
        }
    }
}
