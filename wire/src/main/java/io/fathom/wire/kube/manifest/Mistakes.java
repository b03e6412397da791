// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.List;

/// What is wrong with one object, and which of its parts cannot be trusted for it.
public record Mistakes(List<MisreadException> all) {
    public Mistakes {
        all = List.copyOf(all);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /// Whether a mistake is in that part, at any depth, or is the part itself.
    public boolean touch(Field part) {
        var path = part.path();
        return all.stream().anyMatch(mistake -> isWithin(mistake.field(), path));
    }

    private static boolean isWithin(String field, String part) {
        return field.startsWith(part)
                && (field.length() == part.length()
                        || part.isEmpty()
                        || field.charAt(part.length()) == '.'
                        || field.charAt(part.length()) == '[');
    }

    /// What to tell the author, in the order of the lines.
    public List<ManifestProblem> problems(String object) {
        return all.stream().map(mistake -> ManifestProblem.of(mistake, object)).toList();
    }
}
