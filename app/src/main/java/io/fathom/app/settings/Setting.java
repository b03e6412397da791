package io.fathom.app.settings;

import io.fathom.tools.args.Flag;
import java.util.Optional;

/// Something that can be set from outside. Programs list theirs in an enum.
public interface Setting {
    /// Empty when it can only be set through the environment.
    Optional<Flag> flag();

    /// The environment variable.
    String variable();

    /// What its value is, in a word.
    String label();

    /// What holds when nobody sets it.
    String fallback();

    String help();
}
