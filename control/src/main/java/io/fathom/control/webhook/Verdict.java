// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.webhook;

import io.fathom.wire.kube.tree.Tree;
import java.util.List;

/// What we think of an object.
///
/// @param mistakes none if it may be stored
/// @param warnings what its author should know, whether it is stored or not
public record Verdict(String object, List<Mistake> mistakes, List<String> warnings) {
    /// Something that has to be mended first.
    ///
    /// @param field such as `spec.hosts[0]`
    public record Mistake(String field, String what, String fix) {
        @Override
        public String toString() {
            return (field.isEmpty() ? "" : field + ": ") + what + (fix.isEmpty() ? "" : " (fix: " + fix + ")");
        }
    }

    public Verdict {
        mistakes = List.copyOf(mistakes);
        warnings = List.copyOf(warnings);
    }

    /// Of an object that passes as it is.
    public static Verdict unjudged(Tree ignored) {
        return new Verdict("", List.of(), List.of());
    }

    public boolean isAllowed() {
        return mistakes.isEmpty();
    }

    /// All mistakes, for the one who sent the object.
    public String message() {
        if (mistakes.size() == 1) {
            return object + ": " + mistakes.getFirst();
        }
        var text = new StringBuilder(object)
                .append(" has ")
                .append(mistakes.size())
                .append(" mistakes:");
        for (var mistake : mistakes) {
            text.append("\n- ").append(mistake);
        }
        return text.toString();
    }
}
