// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

/// The forms that the API server demands of names and labels.
final class Names {
    private Names() {}

    /// Lower-case letters, digits and dashes, at most 63.
    static boolean isLabel(String text) {
        return text.length() <= 63 && isDashed(text, 0, text.length());
    }

    /// Labels separated by dots, at most 253 characters.
    static boolean isSubdomain(String text) {
        if (text.length() > 253) {
            return false;
        }
        var start = 0;
        while (true) {
            var dot = text.indexOf('.', start);
            if (!isDashed(text, start, dot < 0 ? text.length() : dot)) {
                return false;
            }
            if (dot < 0) {
                return true;
            }
            start = dot + 1;
        }
    }

    private static boolean isDashed(String text, int start, int end) {
        if (start >= end || text.charAt(start) == '-' || text.charAt(end - 1) == '-') {
            return false;
        }
        for (var i = start; i < end; i++) {
            var c = text.charAt(i);
            if (!((c >= 'a' && c <= 'z') || isDigit(c) || c == '-')) {
                return false;
            }
        }
        return true;
    }

    /// At most 63 letters, digits, dashes, dots and underscores, the first and last a letter or digit; or nothing.
    static boolean isLabelValue(String text) {
        if (text.isEmpty()) {
            return true;
        }
        if (text.length() > 63
                || !isLetterOrDigit(text.charAt(0))
                || !isLetterOrDigit(text.charAt(text.length() - 1))) {
            return false;
        }
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (!isLetterOrDigit(c) && c != '-' && c != '.' && c != '_') {
                return false;
            }
        }
        return true;
    }

    /// A label value that is not empty, optionally after `domain/`.
    static boolean isLabelKey(String text) {
        var slash = text.indexOf('/');
        var name = text.substring(slash + 1);
        return !name.isEmpty() && isLabelValue(name) && (slash < 0 || isSubdomain(text.substring(0, slash)));
    }

    private static boolean isLetterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
