// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.schema;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;

/// The forms of texts, in words where the pattern is a common one. Pure.
final class TextForms {
    private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    private static final String DOMAIN = LABEL + "(\\." + LABEL + ")*";

    /// What to call a text of that pattern, and how to write it.
    private record Wording(String noun, String fix) {}

    private static final Map<String, Wording> KNOWN = Map.of(
            "^" + LABEL + "$",
            new Wording("name", "use lower-case letters, digits and dashes"),
            "^" + DOMAIN + "$",
            new Wording("name", "use lower-case letters, digits, dashes and dots"),
            "^$|^" + DOMAIN + "$",
            new Wording("API group", "write it like gateway.networking.k8s.io, or nothing"),
            "^(\\*\\.)?" + DOMAIN + "$",
            new Wording("host name", "write it like api.example.com or *.example.com"),
            "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$",
            new Wording("kind", "write it like Service"),
            "^([0-9]{1,5}(h|m|s|ms)){1,4}$",
            new Wording("duration", "write it like 10s, 500ms or 1h30m"),
            "^" + DOMAIN + "\\/[A-Za-z0-9\\/\\-._~%!$&'()*+,;=:]+$",
            new Wording("name with a domain", "write it like example.com/name"),
            "^[A-Za-z0-9!#$%&'*+\\-.^_\\x60|~]+$",
            new Wording("header name", "use letters, digits and dashes"));

    private TextForms() {}

    static MisreadException mismatch(Field field, String text, String pattern) {
        var words = KNOWN.get(pattern);
        return words == null
                ? field.wrong("manifest-bad-value", "is \"" + text + "\", which has a wrong form", "match " + pattern)
                : field.wrong("manifest-bad-value", "is \"" + text + "\", which is no " + words.noun, words.fix);
    }

    /// As the API server takes it: padded, on any number of lines.
    static boolean isBase64(String text) {
        var letters = text.replace("\n", "").replace("\r", "");
        try {
            Base64.getDecoder().decode(letters);
            return letters.length() % 4 == 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /// @param parts a number and a unit each
    static double seconds(Matcher parts) {
        var sum = 0.0;
        while (parts.find()) {
            sum += Double.parseDouble(parts.group(1))
                    * switch (parts.group(3)) {
                        case "h" -> 3600;
                        case "m" -> 60;
                        case "s" -> 1;
                        case "ms" -> 1e-3;
                        case "us", "µs" -> 1e-6;
                        default -> 1e-9;
                    };
        }
        return sum;
    }
}
