// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

/// A token or another text that must not show up in logs, messages or debug pages. [#reveal()] is for the request that
/// needs it.
public final class Secret {
    private final String text;

    public Secret(String text) {
        if (text.isBlank() || !text.chars().allMatch(letter -> letter > ' ' && letter < 0x7f)) {
            throw new IllegalArgumentException("a secret is one word of printable characters");
        }
        this.text = text;
    }

    String reveal() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && text.equals(secret.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return "***";
    }
}
