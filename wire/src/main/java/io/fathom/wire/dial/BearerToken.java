// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// What a client shows to say who it is. Never printed.
public sealed interface BearerToken {
    record None() implements BearerToken {}

    /// As it is at the time of a call: tokens are renewed.
    record InFile(Path path) implements BearerToken {}

    record Literal(String token) implements BearerToken {
        @Override
        public String toString() {
            return "Literal[***]";
        }
    }

    /// A path if there is such a file, else the token itself; nothing for an empty text.
    static BearerToken parse(String setting) {
        if (setting.isEmpty()) {
            return new None();
        }
        return setting.indexOf('/') >= 0 || Files.exists(Path.of(setting))
                ? new InFile(Path.of(setting))
                : new Literal(setting);
    }

    /// The token to use now.
    ///
    /// @throws ProblemException when its file cannot be read
    default Optional<String> read() {
        return switch (this) {
            case None() -> Optional.empty();
            case Literal(var token) -> Optional.of(token);
            case InFile(var path) -> Optional.of(content(path));
        };
    }

    private static String content(Path path) {
        try {
            return Files.readString(path).strip();
        } catch (IOException e) {
            throw new ProblemException(new Problem(
                    "token-unreadable",
                    "the token for the control plane cannot be read from " + path + ": " + e,
                    "mount a service account token with the audience istio-ca there",
                    Problem.Origin.CLIENT,
                    Problem.Retry.SENSIBLE));
        }
    }
}
