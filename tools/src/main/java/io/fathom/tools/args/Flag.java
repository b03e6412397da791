// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.args;

/// A flag of a command: `--name VALUE` or `--name=VALUE`, or just `--name` if it takes no value.
///
/// @param name with its dashes
/// @param shortName such as `-n`; empty for none
/// @param label stands for the value in the help text; empty if it takes none
/// @param help a sentence or two
public record Flag(String name, String shortName, String label, String help) {
    public Flag {
        if (!name.startsWith("--") || !(shortName.isEmpty() || shortName.matches("-[a-zA-Z]"))) {
            throw new IllegalArgumentException("not the name of a flag: " + name + " " + shortName);
        }
    }

    /// A flag with a value.
    public static Flag of(String name, String label, String help) {
        return new Flag(name, "", label, help);
    }

    /// A flag without one.
    public static Flag toggle(String name, String help) {
        return new Flag(name, "", "", help);
    }

    /// The same with a short name as well.
    public Flag orShort(String other) {
        return new Flag(name, other, label, help);
    }

    boolean takesValue() {
        return !label.isEmpty();
    }

    boolean isCalled(String word) {
        return name.equals(word) || (!shortName.isEmpty() && shortName.equals(word));
    }
}
