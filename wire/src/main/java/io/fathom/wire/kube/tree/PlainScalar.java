// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// What unquoted YAML text means, by the rules that Kubernetes tools apply (YAML 1.1), not those of YAML 1.2.
///
/// One exception: `y` and `n` stay text. Tools disagree about them, and as names they are common.
final class PlainScalar {
    private static final Pattern INTEGER =
            Pattern.compile("[-+]?(0|[1-9][0-9_]*|0[0-7_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|0b[01_]+)");
    private static final Pattern DECIMAL = Pattern.compile(
            "[-+]?(\\.[0-9]+|[0-9][0-9_]*(\\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)");

    private PlainScalar() {}

    static Tree.ScalarType kindOf(String text) {
        if (text.isEmpty()) {
            return Tree.ScalarType.NONE;
        }
        var first = text.charAt(0);
        if ((first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.') {
            if (INTEGER.matcher(text).matches()) {
                return Tree.ScalarType.INTEGER;
            }
            return DECIMAL.matcher(text).matches() ? Tree.ScalarType.DECIMAL : Tree.ScalarType.TEXT;
        }
        return text.length() > 5 ? Tree.ScalarType.TEXT : kindOfWord(text);
    }

    private static Tree.ScalarType kindOfWord(String text) {
        return switch (text) {
            case "~", "null", "Null", "NULL" -> Tree.ScalarType.NONE;
            case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON" -> Tree.ScalarType.FLAG;
            case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF" -> Tree.ScalarType.FLAG;
            default -> Tree.ScalarType.TEXT;
        };
    }

    static boolean flag(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on" -> true;
            default -> false;
        };
    }

    /// The value of an integer or decimal scalar; not a number when it is infinite or none.
    static double decimal(String text) {
        var whole = kindOf(text) == Tree.ScalarType.INTEGER ? integer(text) : OptionalLong.empty();
        if (whole.isPresent()) {
            return whole.getAsLong();
        }
        try {
            return Double.parseDouble(text.replace("_", ""));
        } catch (NumberFormatException _) {
            return Double.NaN;
        }
    }

    /// The value of an integer scalar; empty when it has more than 64 bits.
    static OptionalLong integer(String text) {
        var digits = text.replace("_", "");
        var sign = digits.startsWith("-") ? "-" : "";
        if (digits.startsWith("-") || digits.startsWith("+")) {
            digits = digits.substring(1);
        }
        try {
            return OptionalLong.of(Long.parseLong(sign + withoutPrefix(digits), radix(digits)));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    private static int radix(String digits) {
        if (digits.startsWith("0x")) {
            return 16;
        }
        if (digits.startsWith("0b")) {
            return 2;
        }
        return digits.length() > 1 && digits.startsWith("0") ? 8 : 10;
    }

    private static String withoutPrefix(String digits) {
        return digits.length() > 2 && digits.charAt(0) == '0' && Character.isLetter(digits.charAt(1))
                ? digits.substring(2)
                : digits;
    }
}
