// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

/// One way to compare text.
public sealed interface StringMatch {
    record Exact(String value) implements StringMatch {}

    record Prefix(String value) implements StringMatch {}

    record Suffix(String value) implements StringMatch {}

    /// Anything that is there at all.
    record Presence() implements StringMatch {}

    /// The convention of AuthorizationPolicy: `*` is presence, `*x` a suffix, `x*` a prefix, all else exact.
    static StringMatch parse(String text) {
        if (text.equals("*")) {
            return new Presence();
        }
        if (text.startsWith("*")) {
            return new Suffix(text.substring(1));
        }
        if (text.endsWith("*")) {
            return new Prefix(text.substring(0, text.length() - 1));
        }
        return new Exact(text);
    }
}
