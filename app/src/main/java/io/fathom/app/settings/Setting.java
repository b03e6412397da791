// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.settings;

import com.google.errorprone.annotations.Immutable;
import io.fathom.tools.args.Flag;
import java.util.Optional;

/// Something that can be set from outside. Programs list theirs in an enum, whose constants are named like the
/// environment variables unless they say otherwise.
public interface Setting {
    /// What is to be said about it.
    ///
    /// @param label what its value is, in a word
    /// @param fallback what holds when nobody sets it
    @Immutable
    record Description(String label, String fallback, String help) {}

    /// The constant's.
    String name();

    Description description();

    /// Empty when it can only be set through the environment.
    default Optional<Flag> flag() {
        return Optional.empty();
    }

    /// The environment variable.
    default String variable() {
        return name();
    }

    /// A flag for it, whose help names the variable and the default.
    default Flag flag(String word) {
        var brackets = variable() + (fallback().isEmpty() ? "" : ", default " + fallback());
        return Flag.of(word, label(), help() + " [" + brackets + "]");
    }

    /// Whether its flag may be given several times, each time with more; in one text commas part them.
    default boolean isRepeatable() {
        return false;
    }

    default String label() {
        return description().label();
    }

    default String fallback() {
        return description().fallback();
    }

    default String help() {
        return description().help();
    }
}
