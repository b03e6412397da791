// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import io.fathom.wire.kube.manifest.Mistakes;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Gathers the mistakes of one object. A reader stops at the first one, so it reads again what is left when the parts
/// with mistakes are hidden. For one thread.
final class MistakeCollector {
    /// Bounds how often an object is read; more mistakes than this help nobody.
    private static final int MOST_READINGS = 16;

    private static final String MISSING = "manifest-missing-field";
    private static final String UNKNOWN = "manifest-unknown-field";

    private final List<MisreadException> all = new ArrayList<>();
    private final Set<String> hidden = new HashSet<>();
    private int readings;

    void addAll(List<MisreadException> mistakes) {
        all.addAll(mistakes);
        mistakes.forEach(mistake -> hide(mistake.field()));
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /// The object without the parts that are known to be wrong.
    Field rest(Field object) {
        return hidden.isEmpty() ? object : object.without(hidden);
    }

    /// Takes up what stopped a reader. Whether reading again may find more.
    boolean add(MisreadException mistake) {
        var path = mistake.field();
        var known = all.stream().anyMatch(other -> covers(other, mistake));
        if (!known) {
            all.add(mistake);
        }
        var isPart = !known && !mistake.problem().code().equals(MISSING);
        return ++readings < MOST_READINGS && hide(isPart ? path : item(path)); // what must be there cannot be hidden
    }

    private boolean hide(String path) {
        return !path.isEmpty() && hidden.add(path);
    }

    /// Whether one mistake explains another: it is in the same part, or what is missing may be what is misspelt.
    private static boolean covers(MisreadException other, MisreadException mistake) {
        var path = mistake.field();
        var known = other.field();
        return isWithin(path, known)
                || isWithin(known, path)
                || (mistake.problem().code().equals(MISSING)
                        && other.problem().code().equals(UNKNOWN)
                        && isWithin(path, parent(known)));
    }

    private static boolean isWithin(String path, String part) {
        return path.startsWith(part)
                && (path.length() == part.length()
                        || path.charAt(part.length()) == '.'
                        || path.charAt(part.length()) == '[');
    }

    private static String parent(String path) {
        return path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
    }

    /// The innermost list item on the way.
    private static String item(String path) {
        for (var end = path.lastIndexOf(']'); end > 0; end = path.lastIndexOf(']', end - 1)) {
            if (Character.isDigit(path.charAt(end - 1))) {
                return path.substring(0, end + 1);
            }
        }
        return "";
    }

    /// In the order of lines.
    Mistakes mistakes() {
        return new Mistakes(all.stream()
                .sorted(Comparator.comparingInt(mistake -> mistake.at().line()))
                .toList());
    }
}
